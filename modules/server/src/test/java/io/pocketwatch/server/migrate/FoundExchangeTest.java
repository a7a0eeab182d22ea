// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.screen.CommandFailedException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The texts are those of a RabbitMQ 4.3.6. */
class FoundExchangeTest {
  private static final String EXCHANGE =
      """
      {"arguments":{"alternate-exchange":"ae","x-delayed-type":"direct"},"auto_delete":false,
       "durable":true,"internal":false,"name":"left","type":"x-delayed-message","vhost":"/"}
      """;
  private static final String OUT =
      """
      {"source":"left","vhost":"/","destination":"q1","destination_type":"queue",
       "routing_key":"a","arguments":{},"properties_key":"a"}
      """;
  private static final String TO_ITSELF =
      """
      {"source":"left","vhost":"/","destination":"left","destination_type":"exchange",
       "routing_key":"b","arguments":{"number":7,"text":"x","none":null},"properties_key":"b"}
      """;

  @Test
  void the_plugins_argument_becomes_the_type_and_the_others_stay() {
    ExchangeDefinition definition = found(EXCHANGE, OUT, "").definition(null);

    assertThat(definition.type()).isEqualTo("direct");
    assertThat(definition.arguments()).isEqualTo(Map.of("alternate-exchange", "ae"));
    assertThat(definition.durable()).isTrue();
    assertThat(definition.bindings())
        .containsExactly(new ExchangeBinding("left", "q1", true, "a", Map.of()));
  }

  @Test
  void a_given_type_wins() {
    assertThat(found(EXCHANGE, "", "").definition("topic").type()).isEqualTo("topic");
  }

  @Test
  void a_binding_to_itself_is_one_binding_with_its_arguments() {
    List<ExchangeBinding> bindings =
        found(EXCHANGE, TO_ITSELF, TO_ITSELF).definition(null).bindings();

    assertThat(bindings).hasSize(1);
    assertThat(bindings.get(0).toQueue()).isFalse();
    assertThat(bindings.get(0).arguments())
        .containsEntry("number", 7)
        .containsEntry("text", "x")
        .containsEntry("none", null);
  }

  @Test
  void without_a_type_the_error_names_the_option() {
    String typeless = EXCHANGE.replace("x-delayed-type", "other");

    assertThatThrownBy(() -> found(typeless, "", "").definition(null))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("'left'")
        .hasMessageContaining("--type");
  }

  private static FoundExchange found(String exchange, String outgoing, String incoming) {
    return new FoundExchange(
        json(exchange), json("[" + outgoing + "]"), json("[" + incoming + "]"));
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
