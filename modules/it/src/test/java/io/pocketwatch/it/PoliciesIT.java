// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.it.PolicyCases.Outcome;
import io.pocketwatch.it.PolicyCases.Policy;
import io.pocketwatch.it.PolicyWorld.Seen;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An operator's policy on {@code .*} reaches our queues, and AMQP cannot show it. One of each kind;
 * all of them are in {@link PolicyMatrixIT}.
 */
class PoliciesIT {
  private static final Path MANUAL = Path.of("..", "docs", "operate", "install.md");
  private static final Pattern ADVISED =
      Pattern.compile("--priority 1000 --apply-to all pocketwatch '\\^pocketwatch\\\\\\.' '(.*)'");

  private static PolicyWorld world;

  @BeforeAll
  static void open() throws Exception {
    world = new PolicyWorld(SharedNodes.of(SharedNodes.NEWEST), "policies");
  }

  @AfterAll
  static void close() throws Exception {
    world.close();
  }

  /** The definition of the policy that the manual advises. */
  static String advised() throws Exception {
    Matcher advised = ADVISED.matcher(Files.readString(MANUAL));
    assertThat(advised.find()).as("the policy that install.md advises").isTrue();
    return advised.group(1);
  }

  @Tag("ci")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "max-length + overflow: drop-head",
        "dead-letter-routing-key",
        "alternate-exchange",
        "max-length",
        "message-ttl"
      })
  void what_becomes_of_a_policy_is_what_the_manual_says(String key) throws Exception {
    Policy policy =
        PolicyCases.ALL.stream().filter(each -> each.key().equals(key)).findFirst().orElseThrow();

    Seen seen = world.see(false, policy.definition()).orElseThrow();

    assertThat(seen.outcome()).as("%s", seen).isEqualTo(policy.outcome());
    if (seen.outcome() == Outcome.REFUSED) {
      assertThat(seen.start())
          .contains("policies of the broker", "'^policies", "highest priority", "install.md");
    }
  }

  @Tag("ci")
  @Test
  void the_policy_that_the_manual_advises_keeps_others_away() throws Exception {
    world.set(false, "own", 1_000, advised());
    try {
      String worst =
          "{\"max-length\":3,\"overflow\":\"drop-head\",\"message-ttl\":100,"
              + "\"dead-letter-exchange\":\"%s\",\"dead-letter-routing-key\":\"elsewhere\"}"
                  .formatted(PolicyCases.ELSEWHERE);
      Seen seen = world.see(false, worst).orElseThrow();

      assertThat(seen.outcome()).as("%s", seen).isEqualTo(Outcome.IMMUNE);
    } finally {
      world.clear(false, "own");
    }
  }

  /** Under an alternate exchange it would be confirmed, and be somebody else's. */
  @Test
  void a_hold_queue_that_is_gone_is_heard_of_under_any_policy() throws Exception {
    World quorum = world.quorum();
    try (DelayedPublisher publisher =
        DelayedPublisher.builder(quorum.node().connectionFactory())
            .routes(world.routes(quorum))
            .build()) {
      world.set(
          false,
          "operators",
          0,
          "{\"alternate-exchange\":\"%s\"}".formatted(PolicyCases.ELSEWHERE));
      quorum.channel().queueDelete(quorum.ours("ttl.quorum.900"));
      DelayedMessage message =
          DelayedMessage.to(world.target(), "key")
              .delay(Duration.ofMillis(900))
              .strategy(DelayStrategy.TTL_QUEUE);

      assertThat(Futures.get(publisher.publish(message)).outcome())
          .isNotEqualTo(PublishOutcome.CONFIRMED);
      assertThat(quorum.count(PolicyCases.ELSEWHERE)).isZero();
    } finally {
      world.clear(false, "operators");
    }
  }
}
