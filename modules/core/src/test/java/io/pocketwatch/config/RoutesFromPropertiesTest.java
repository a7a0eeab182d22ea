// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoutesFromPropertiesTest {
  @Test
  void numbers_and_truths_may_be_texts_and_texts_numbers() {
    DelayRoutes routes =
        DelayRoutes.of(
            Map.of(
                "routes",
                Map.of(
                    "timeout",
                    Map.of(
                        "routing-key", 17, "delays", List.of("15m", "30m"), "insert-limit", "3")),
                "publisher",
                Map.of("max-in-flight", "50", "confirm-timeout", "5s"),
                "wheel",
                Map.of("queue-type", "classic", "accept-loss", "true")),
            "application properties");
    assertThat(routes.named("timeout").routingKey()).isEqualTo("17");
    assertThat(routes.named("timeout").delays())
        .containsExactly(Duration.ofMinutes(15), Duration.ofMinutes(30));
    assertThat(routes.named("timeout").insertLimit()).isEqualTo(3);
    assertThat(routes.publisher().maxInFlight()).isEqualTo(50);
    assertThat(routes.publisher().confirmTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(routes.hold().wheel().queues().type()).isEqualTo(HoldQueueType.CLASSIC);
  }

  @Test
  void a_wrong_key_or_value_is_named() {
    assertThatThrownBy(
            () -> DelayRoutes.of(Map.of("wheel", Map.of("max-delays", "1d")), "application"))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("application")
        .hasMessageContaining("pocketwatch.wheel.max-delays")
        .hasMessageContaining("did you mean 'max-delay'?");
    assertThatThrownBy(
            () -> DelayRoutes.of(Map.of("publisher", Map.of("channels", "many")), "application"))
        .hasMessageContaining("pocketwatch.publisher.channels");
  }

  /** Every key there is, as texts: none of the numbers may have been forgotten. */
  @Test
  void the_shipped_configuration_may_be_given_as_texts() throws Exception {
    Path shipped = Path.of("../../config/pocketwatch.yml");
    Map<?, ?> tree =
        new ObjectMapper(new YAMLFactory()).readValue(Files.readString(shipped), Map.class);
    assertThat(DelayRoutes.of(texts((Map<?, ?>) tree.get("pocketwatch")), "texts"))
        .usingRecursiveComparison()
        .isEqualTo(DelayRoutes.load(shipped));
  }

  private static Map<String, Object> texts(Map<?, ?> map) {
    Map<String, Object> texts = new LinkedHashMap<>();
    map.forEach(
        (key, value) ->
            texts.put(
                key.toString(),
                value instanceof Map<?, ?> child
                    ? texts(child)
                    : value instanceof List<?> list
                        ? list.stream().map(Object::toString).toList()
                        : value.toString()));
    return texts;
  }
}
