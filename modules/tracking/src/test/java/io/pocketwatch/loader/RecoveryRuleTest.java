// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.loader.RecoveryRule.Decision;
import io.pocketwatch.loader.RecoveryRule.Kind;
import io.pocketwatch.loader.RecoveryRule.Returned;
import io.pocketwatch.store.LoadingStore.ConsumerProgress;
import io.pocketwatch.store.LoadingStore.Overdue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecoveryRuleTest {
  private static final Instant NOW = Instant.parse("2026-01-02T12:00:00Z");
  private static final Instant YESTERDAY = ago(Duration.ofDays(1));
  private static final LoaderOptions OPTIONS =
      LoaderOptions.builder()
          .grace(Duration.ofMinutes(2))
          .maxSilence(Duration.ofMinutes(30))
          .targetPatience(Duration.ofHours(1))
          .build();

  @Test
  void what_a_later_message_has_overtaken_is_sent_again() {
    Decision decision = decide(overdue(10, minutes(60), minutes(5), minutes(20)), null, true);

    assertThat(decision).isEqualTo(new Decision(Kind.RETURN, minutes(20), RecoveryRule.CAP));
  }

  @Test
  void not_what_is_younger_than_the_grace() {
    Decision decision = decide(overdue(10, minutes(60), minutes(0), minutes(0)), null, true);

    assertThat(decision.dueBefore()).isEqualTo(minutes(2));
  }

  @Test
  void a_backlog_is_left_to_its_consumer() {
    // It settles, in order, and is not through yet.
    Decision decision = decide(overdue(10_000, minutes(60), minutes(1), minutes(61)), null, true);

    assertThat(decision.kind()).isEqualTo(Kind.WAIT);
  }

  @Test
  void what_is_due_just_before_the_last_one_settled_may_be_behind_it_while_consumers_are_at_work() {
    assertThat(decide(overdue(10, minutes(61), minutes(1), minutes(60)), null, true).kind())
        .isEqualTo(Kind.WAIT);
    assertThat(decide(overdue(10, minutes(63), minutes(1), minutes(60)), null, true))
        .isEqualTo(new Decision(Kind.RETURN, minutes(62), RecoveryRule.CAP));
    assertThat(decide(overdue(10, minutes(61), minutes(3), minutes(60)), null, true))
        .as("they have come to an end, and it was not there")
        .isEqualTo(new Decision(Kind.RETURN, minutes(60), RecoveryRule.CAP));
  }

  @Test
  void a_stopped_consumer_is_sent_nothing() {
    assertThat(decide(overdue(10, minutes(20), minutes(21), minutes(21)), null, true).kind())
        .isEqualTo(Kind.SILENT);
    assertThat(decide(overdue(10, minutes(20), null, null), null, true).kind())
        .isEqualTo(Kind.SILENT);
  }

  @Test
  void after_the_longest_silence_comes_one_small_probe() {
    Overdue silent = overdue(10_000, minutes(40), null, null);
    Decision probe = decide(silent, null, true);

    assertThat(probe).isEqualTo(new Decision(Kind.PROBE, minutes(2), RecoveryRule.PROBE));
    assertThat(decide(silent, new Returned(minutes(29), 10_000, 10), true).kind())
        .isEqualTo(Kind.SILENT);
    assertThat(decide(silent, new Returned(minutes(31), 10_000, 10), true).kind())
        .isEqualTo(Kind.PROBE);
  }

  @Test
  void the_rest_goes_when_the_probe_has_been_begun_and_nothing_came_behind_it() {
    Returned probe = new Returned(minutes(5), 1_000, 10);

    assertThat(decide(overdue(990, minutes(60), minutes(3), minutes(60)), probe, true))
        .isEqualTo(new Decision(Kind.RETURN, minutes(2), RecoveryRule.CAP));
    assertThat(decide(overdue(990, minutes(60), minutes(1), minutes(60)), probe, true).kind())
        .as("a backlog comes behind it")
        .isEqualTo(Kind.WAIT);
    assertThat(decide(overdue(991, minutes(60), minutes(3), minutes(60)), probe, true).kind())
        .as("they wait behind others")
        .isEqualTo(Kind.SILENT);
  }

  @Test
  void silence_counts_only_while_somebody_was_connected() {
    Decision decision =
        new RecoveryRule(overdue(10, YESTERDAY, null, null), OPTIONS, NOW, minutes(5), null, true)
            .decide();

    assertThat(decision.kind()).isEqualTo(Kind.SILENT);
  }

  @Test
  void what_was_sent_again_is_not_sent_again_on_the_same_evidence() {
    Overdue overtaken = overdue(10, minutes(60), minutes(1), minutes(20));

    assertThat(decide(overtaken, new Returned(minutes(5), 10, 10), true).kind())
        .isEqualTo(Kind.WAIT);
  }

  @Test
  void it_is_when_something_due_later_than_that_was_settled() {
    Overdue overtaken = overdue(10, minutes(60), minutes(1), minutes(2));

    assertThat(decide(overtaken, new Returned(minutes(5), 10, 10), true).kind())
        .isEqualTo(Kind.RETURN);
  }

  @Test
  void the_next_of_many_go_when_as_many_have_been_begun() {
    Overdue rest = overdue(4_500, minutes(50), minutes(1), minutes(20));
    Returned last = new Returned(minutes(5), 5_000, 500);

    assertThat(decide(rest, last, true).kind()).isEqualTo(Kind.RETURN);
    assertThat(decide(rest, last, false).kind())
        .as("they are not on the broker yet")
        .isEqualTo(Kind.WAIT);
    assertThat(decide(overdue(4_501, minutes(50), minutes(1), minutes(20)), last, true).kind())
        .isEqualTo(Kind.WAIT);
  }

  @Test
  void another_consumer_that_has_not_come_so_far_is_waited_for() {
    assertThat(decide(besideAnother(10, minutes(20), minutes(61)), null, true).kind())
        .isEqualTo(Kind.WAIT);
  }

  @Test
  void one_that_settles_nothing_for_longer_may_be_gone_so_a_probe_tells() {
    Overdue overdue = besideAnother(600, minutes(61), minutes(61));

    assertThat(decide(overdue, null, true))
        .isEqualTo(new Decision(Kind.PROBE, minutes(4), RecoveryRule.PROBE));
    Returned probe = new Returned(minutes(5), 600, 10);
    assertThat(decide(overdue, probe, true).kind())
        .as("it was stopped: they wait for it beside those they repeat")
        .isEqualTo(Kind.SILENT);
    assertThat(decide(besideAnother(590, minutes(61), minutes(61)), probe, true))
        .as("it was gone: the others have begun them")
        .isEqualTo(new Decision(Kind.RETURN, minutes(4), RecoveryRule.CAP));
    assertThat(decide(overdue, new Returned(minutes(31), 600, 10), true).kind())
        .isEqualTo(Kind.PROBE);
  }

  @Test
  void a_backlog_of_those_that_are_heard_is_not_probed_because_one_is_gone() {
    Overdue overdue =
        new Overdue(
            "route",
            10_000,
            10_000,
            minutes(60),
            List.of(
                new ConsumerProgress("at-work", minutes(1), minutes(61)),
                new ConsumerProgress("gone", minutes(90), minutes(90))));

    assertThat(decide(overdue, null, true).kind()).isEqualTo(Kind.WAIT);
  }

  private static Decision decide(Overdue overdue, @Nullable Returned last, boolean arrived) {
    return new RecoveryRule(overdue, OPTIONS, NOW, YESTERDAY, last, arrived).decide();
  }

  private static Overdue overdue(
      long count, Instant oldest, @Nullable Instant settled, @Nullable Instant reached) {
    return settled == null || reached == null
        ? new Overdue("route", count, count, oldest, List.of())
        : new Overdue(
            "route", count, count, oldest, List.of(new ConsumerProgress("q", settled, reached)));
  }

  /** Overdue for an hour; one consumer is at work and has come to two minutes ago. */
  private static Overdue besideAnother(long count, Instant settled, Instant reached) {
    return new Overdue(
        "route",
        count,
        count,
        minutes(60),
        List.of(
            new ConsumerProgress("at-work", minutes(1), minutes(2)),
            new ConsumerProgress("other", settled, reached)));
  }

  private static Instant minutes(int ago) {
    return ago(Duration.ofMinutes(ago));
  }

  private static Instant ago(Duration time) {
    return NOW.minus(time);
  }
}
