// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The way by the store may not change where a message goes, nor what it says. */
class RowFuzzTest {
  private final PlanFixture planning = new PlanFixture(DelayRoutes.none());

  @Property(tries = 2_000)
  void a_stored_message_is_planned_as_it_was(@ForAll("messages") DelayedMessage message) {
    DelayPlanner planner = planning.planner();
    Submission submission;
    PublishPlan direct;
    try {
      submission = planning.accept(message);
      planner.requireSendable(submission);
      direct = planner.plan(submission, PlanFixture.NOW);
    } catch (InvalidMessageException refused) {
      return; // by both ways
    }

    PublishPlan stored =
        planner.plan(RowCodec.read(row(submission), planning.routes()), PlanFixture.NOW);

    assertThat(stored.exchange()).isEqualTo(direct.exchange());
    assertThat(stored.routingKey()).isEqualTo(direct.routingKey());
    assertThat(stored.destinations()).isEqualTo(direct.destinations());
    assertThat(stored.properties().getPriority()).isEqualTo(direct.properties().getPriority());
    assertThat(stored.properties().getType()).isEqualTo(direct.properties().getType());
    for (String hidden : List.of("CC", "BCC", "customer")) {
      assertThat(header(stored, hidden)).as(hidden).isEqualTo(header(direct, hidden));
    }
  }

  /** A text is of another type when it was encoded once. */
  private static String header(PublishPlan plan, String name) {
    return String.valueOf(plan.properties().getHeaders().get(name));
  }

  private static StoredMessage row(Submission submission) {
    Instant then = Instant.EPOCH;
    return StoredMessage.inserted(RowCodec.of(submission), then);
  }

  @Provide
  Arbitrary<DelayedMessage> messages() {
    Arbitrary<String> names =
        Arbitraries.strings().withChars("ab.#*é- ").ofMinLength(0).ofMaxLength(12);
    Arbitrary<List<String>> keys = names.list().ofMaxSize(3);
    Arbitrary<Duration> delays =
        Arbitraries.longs().between(-1_000, Duration.ofDays(40).toMillis()).map(Duration::ofMillis);
    Arbitrary<BasicProperties> properties =
        Combinators.combine(
                Arbitraries.integers().between(0, 9), names.injectNull(0.5), keys, keys, names)
            .as(
                (priority, type, cc, bcc, customer) ->
                    new BasicProperties.Builder()
                        .priority(priority)
                        .type(type)
                        .headers(Map.of("CC", cc, "BCC", bcc, "customer", customer))
                        .build());
    return Combinators.combine(names, names, properties, delays, Arbitraries.of(true, false))
        .as(
            (exchange, key, with, delay, toQueue) ->
                (toQueue ? DelayedMessage.toQueue("q" + key) : DelayedMessage.to(exchange, key))
                    .properties(with)
                    .id("id")
                    .delay(delay));
  }
}
