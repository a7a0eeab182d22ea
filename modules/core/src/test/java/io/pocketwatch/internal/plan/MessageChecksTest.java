// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import static io.pocketwatch.internal.plan.PlanFixture.ORDER;
import static io.pocketwatch.internal.plan.PlanFixture.bcc;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the broker would answer by closing a channel is refused first, held or not. */
class MessageChecksTest {
  private static final DelayedMessage HELD = ORDER.delay(ofSeconds(5));

  private final PlanFixture planning = PlanFixture.with(DelayRoutes.none());

  @ParameterizedTest
  @ValueSource(strings = {"CC", "BCC"})
  void copyKeysAreAnArrayOfStrings(String header) {
    refused(header, "copy", "header %s must be an array of strings, not String");
    refused(header, Map.of("k", "copy"), "header %s must be an array of strings, not ");
    refused(header, null, "header %s must be an array of strings, not null");
    refused(header, List.of("copy", 7), "header %s must hold strings only, not Integer");
    refused(header, Arrays.asList("copy", null), "header %s must hold strings only, not null");
    refused(header, List.of(List.of("copy")), "header %s must hold strings only, not List");
  }

  @Test
  void every_form_of_an_array_is_read() {
    for (Object keys :
        List.of(
            List.of("a.b", "c"),
            new Object[] {"a.b", "c"},
            new String[] {"a.b", "c"},
            List.of(LongStringHelper.asLongString("a.b"), LongStringHelper.asLongString("c")))) {
      assertThat(bcc(planning.plan(HELD.header("BCC", keys)))).endsWith("pw-to-orders", "a.b", "c");
      DelayedMessage copied = HELD.strategy(DelayStrategy.TEMPORARY_QUEUE).header("CC", keys);
      assertThat(planning.plan(copied).exchange()).isEqualTo("pocketwatch.temporary");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"CC", "BCC"})
  void copyKeysAreWithinTheirLimits(String header) {
    refused(header, List.of("é".repeat(128)), "%s key is 256 bytes long; allowed: 255");
    refused(header, List.of("a", "pw-1s-5"), "%s key 'pw-1s-5' begins with pw-, which is reserved");
    assertThat(planning.plan(HELD.header(header, List.of("x".repeat(255), "", "PW-x"))).mandatory())
        .isTrue();
  }

  @Test
  void what_utf8_cannot_carry_is_refused() {
    String half = "a\ud83d";
    refused(
        "CC",
        List.of("🕰", half),
        "CC key has half a surrogate pair at index 1, which UTF-8 cannot carry");
    refused(
        "BCC",
        List.of(LongStringHelper.asLongString(new byte[] {'x', (byte) 0xff})),
        "BCC key 'x\ufffd' is not UTF-8");
    planning
        .refused(DelayedMessage.to("orders", "\udd70b"))
        .withMessageContaining("routing key has half a surrogate pair at index 0");
    planning
        .refused(DelayedMessage.to(half, "key"))
        .withMessageContaining("exchange name has half a surrogate pair at index 1");
    planning.refused(HELD.id(half)).withMessageContaining("its id has half a surrogate pair");
  }

  @Test
  void reserved_keys_are_refused_as_routing_keys_too() {
    for (DelayedMessage message :
        List.of(DelayedMessage.to("orders", "pw-to-x"), DelayedMessage.toQueue("pw-to-x"))) {
      planning
          .refused(message)
          .withMessageEndingWith("routing key 'pw-to-x' begins with pw-, which is reserved");
    }
    assertThat(planning.plan(DelayedMessage.to("pw-orders", "x.pw-y")).exchange())
        .as("no key of anybody's")
        .isEqualTo("pw-orders");
  }

  @Test
  void names_are_within_their_limits() {
    String name = "é".repeat(127) + "x";
    assertThat(planning.plan(DelayedMessage.to(name, name).delay(ofSeconds(1))).routingKey())
        .isEqualTo(name);
    planning
        .refused(DelayedMessage.to(name + "x", "k"))
        .withMessageEndingWith("exchange name is 256 bytes long; allowed: 255");
    planning
        .refused(DelayedMessage.to("orders", "k".repeat(256)))
        .withMessageEndingWith("routing key is 256 bytes long; allowed: 255");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"pocketwatch.release", "pocketwatch.deliver", "pocketwatch.wheel.quorum.1s"})
  void exchangesOfOursAreNoTargets(String exchange) {
    assertThatThrownBy(() -> planning.plan(DelayedMessage.to(exchange, "k").delay(ofSeconds(5))))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("exchange '" + exchange + "' is one of Pocketwatch's own");
    assertThat(planning.plan(DelayedMessage.to("pocketwatch.orders", "k").delay(ofSeconds(5))))
        .isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pocketwatch.wheel.quorum.1s.7",
        "pocketwatch.ttl.quorum.5000",
        "pocketwatch.unroutable",
        "pocketwatch.sink",
        "pocketwatch.out.orders",
        "pocketwatch.probe.1",
        "pocketwatch.parked.mail"
      })
  void queuesOfOursAreNoTargets(String queue) {
    String problem = "queue '" + queue + "' is one of Pocketwatch's own and cannot be a target";
    planning.refused(DelayedMessage.toQueue(queue)).withMessageEndingWith(problem);
    planning
        .refused(
            DelayedMessage.toQueue("mail").header("CC", List.of("x", queue)).delay(ofSeconds(5)))
        .withMessageEndingWith(problem);
    assertThat(planning.plan(DelayedMessage.to("orders", queue).delay(ofSeconds(5))).routingKey())
        .as("a key at somebody's exchange")
        .isEqualTo(queue);
    assertThat(planning.plan(DelayedMessage.toQueue("pocketwatch.jobs"))).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"amq.rabbitmq.trace", "amq.rabbitmq.log"})
  void exchangesOfTheBrokersOwnAreNoTargets(String exchange) {
    planning
        .refused(DelayedMessage.to(exchange, "k"))
        .withMessageEndingWith(
            "exchange '" + exchange + "' is internal to RabbitMQ and cannot be a target");
    assertThat(planning.plan(DelayedMessage.to("amq.direct", "k"))).isNotNull();
  }

  @Test
  void a_direct_reply_is_tied_to_its_channel() {
    BasicProperties direct = new BasicProperties.Builder().replyTo("amq.rabbitmq.reply-to").build();

    for (DelayedMessage message : List.of(ORDER, HELD)) {
      planning
          .refused(message.properties(direct))
          .withMessage(
              "message o-1: its reply-to is 'amq.rabbitmq.reply-to', a direct reply, which is tied"
                  + " to its sender's channel; name a reply queue");
    }
    DelayPlanner planner = new DelayPlanner(planning.routes(), planning.broker());
    Submission onOwnChannel = planning.accept(HELD).withProperties(direct);
    assertThat(planner.plan(onOwnChannel, PlanFixture.NOW).properties().getReplyTo())
        .as("a framework's channel waits for it")
        .isEqualTo("amq.rabbitmq.reply-to");
    assertThatThrownBy(() -> planner.requireSendable(onOwnChannel))
        .as("but not a store")
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("a direct reply");
  }

  @Test
  void no_more_levels_than_consumers_can_read() throws Exception {
    for (UnaryOperator<Object> level :
        List.<UnaryOperator<Object>>of(
            List::of, inside -> Map.of("k", inside), inside -> new Object[] {inside})) {
      BasicProperties most = planning.plan(HELD.header("deep", nested(level, 30))).properties();
      byte[] frame = most.toFrame(0, 0).getPayload();
      DataInputStream content = new DataInputStream(new ByteArrayInputStream(frame));
      content.skipBytes(2);
      assertThat(new BasicProperties(content).getHeaders()).containsKey("deep");
      refused(
          "deep",
          nested(level, 31),
          "header %s nests tables and arrays deeper than consumers can read; allowed: 30 levels");
    }
  }

  private static Object nested(UnaryOperator<Object> level, int levels) {
    Object value = 1;
    for (int i = 0; i < levels; i++) {
      value = level.apply(value);
    }
    return value;
  }

  @ParameterizedTest
  @ValueSource(chars = {'\0', '\t', '\n', '\r', '\u001b', '\u007f', '\u009b', '\u202e', '\u2066'})
  void whatDrivesATerminalOrForgesALineIsRefused(char control) {
    String text = "ab" + control + "c";
    String problem = "has the control character U+%04X at index 2".formatted((int) control);
    BasicProperties.Builder properties = new BasicProperties.Builder();

    planning.refused(HELD.id(text)).withMessageEndingWith("its id " + problem);
    planning.refused(HELD.businessKey(text)).withMessageEndingWith("its business key " + problem);
    planning
        .refused(HELD.properties(properties.contentType(text).build()))
        .withMessageEndingWith("its content type " + problem);
    planning
        .refused(HELD.properties(properties.contentType(null).contentEncoding(text).build()))
        .withMessageEndingWith("its content encoding " + problem);
    planning
        .refused(HELD.properties(properties.contentEncoding(null).messageId(text).build()))
        .withMessageEndingWith("its message-id " + problem);
  }

  @Test
  void other_letters_and_a_backslash_are_fine() {
    DelayedMessage message = HELD.id("C:\\dir\\1").businessKey("Größe 中文 \u200f🕰");
    BasicProperties free = new BasicProperties.Builder().correlationId("a\nb").type("c\td").build();

    assertThat(planning.plan(message.properties(free)).id()).isEqualTo("C:\\dir\\1");
  }

  @Test
  void a_foreign_user_id_is_refused() {
    BasicProperties foreign = new BasicProperties.Builder().userId("mallory").build();
    BasicProperties own = new BasicProperties.Builder().userId("guest").build();

    planning
        .refused(ORDER.properties(foreign))
        .withMessage(
            "message o-1: its user-id is 'mallory', but this connection is logged in as 'guest'");
    assertThat(planning.plan(HELD.properties(own)).properties().getUserId()).isEqualTo("guest");
  }

  @Test
  void a_body_is_within_the_configured_limit() {
    PlanFixture small =
        PlanFixture.with(
            DelayRoutes.builder()
                .publisher(PublisherOptions.builder().maxBodySize(1_024).build())
                .build());

    small
        .refused(ORDER.body(new byte[1_025]))
        .withMessageEndingWith("its body is 1025 bytes; allowed: 1024 (publisher.max-body-size)");
    assertThat(small.plan(ORDER.body(new byte[1_024])).id()).isEqualTo("o-1");
    assertThat(small.plan(ORDER.body(new byte[0])).id()).isEqualTo("o-1");
  }

  @Test
  void properties_fit_in_one_frame() {
    PlanFixture frames =
        new PlanFixture(
            DelayRoutes.none(), new BrokerCapabilities("4.3.6", false, true, 8_192, "guest"));
    PlanFixture unlimited =
        new PlanFixture(
            DelayRoutes.none(), new BrokerCapabilities("4.3.6", false, true, 0, "guest"));
    DelayedMessage big = HELD.header("big", "x".repeat(8_192));

    frames
        .refused(big)
        .withMessageMatching(
            "message o-1: its properties take 8\\d\\d\\d bytes; allowed: \\d{4}"
                + " \\(the connection's frame size of 8192, less what the broker adds while it is"
                + " held\\)");
    frames
        .refused(ORDER.header("big", "x".repeat(8_192)))
        .withMessageEndingWith("allowed: 8192 (the connection's frame size of 8192)");
    assertThat(unlimited.plan(big).id()).isEqualTo("o-1");
    assertThat(frames.plan(HELD.header("small", "x".repeat(3_000))).id()).isEqualTo("o-1");
  }

  @Test
  void what_amqp_cannot_carry_is_refused() {
    planning
        .refused(HELD.header("object", new Object()))
        .withMessageStartingWith("message o-1: its properties cannot be encoded as AMQP: ");
    planning
        .refused(HELD.header("h".repeat(256), 1))
        .withMessageStartingWith("message o-1: its properties cannot be encoded as AMQP: ");
  }

  @Test
  void an_expiration_is_refused_unless_nothing_holds_it() {
    BasicProperties expiring = new BasicProperties.Builder().expiration("60000").build();

    planning
        .refused(HELD.properties(expiring))
        .withMessage(
            "message o-1: its expiration of 60000 ms cannot survive the hold; leave it out, or set"
                + " user-expiration: drop on route defaults");
    assertThat(planning.plan(ORDER.properties(expiring)).properties().getExpiration())
        .isEqualTo("60000");
  }

  private void refused(String header, Object value, String problem) {
    for (DelayedMessage message : List.of(ORDER, HELD)) {
      planning
          .refused(message.header(header, value))
          .withMessageStartingWith("message o-1: " + problem.formatted(header));
    }
  }
}
