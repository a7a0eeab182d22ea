// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.PublishOutcome;
import io.pocketwatch.loader.ClaimSender.SendResult;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The search for the message that closes the channel, on a channel that is only a rule. */
class LoadBatchTest {
  private static final String WORDS = "PRECONDITION_FAILED - message size";

  private final Written written = new Written();
  private final PoisonDetector evidence = new PoisonDetector();
  private int sends;

  @Test
  void neighbours_pass_and_culprits_are_parked_with_the_brokers_words() {
    Set<String> poisoned = Set.of("3", "4", "500", "999");

    load(1_000, channel(poisoned));

    assertThat(written.parked.keySet()).isEqualTo(poisoned);
    assertThat(written.parked.values()).containsOnly(WORDS);
    assertThat(written.confirmed).hasSize(996).doesNotContainAnyElementsOf(poisoned);
    assertThat(written.givenBack).isEmpty();
    assertThat(sends).isLessThan(120);
  }

  @Test
  void the_first_is_found_as_well_and_the_last_when_somebody_has_passed_since() {
    load(2, channel(Set.of("0")));
    assertThat(written.parked.keySet()).containsExactly("0");

    load(2, channel(Set.of("1")));
    assertThat(written.givenBack).containsExactly("1");

    load(2, channel(Set.of("1")));
    assertThat(written.parked.keySet()).containsExactly("0", "1");
  }

  @Test
  void when_everything_closes_the_channel_the_search_ends_and_nobody_is_blamed() {
    Set<String> all = IntStream.range(0, 1_000).mapToObj(String::valueOf).collect(toSet());

    load(1_000, channel(all));

    assertThat(written.parked).isEmpty();
    assertThat(written.unproved).isEmpty();
    assertThat(written.givenBack).hasSize(1_000);
    assertThat(sends).isLessThan(120);
  }

  @Test
  void without_a_neighbour_that_passes_nothing_is_proved() {
    load(1, channel(Set.of("0")));
    load(1, channel(Set.of("0")));

    assertThat(written.uncertain).contains("0");
    assertThat(written.parked).isEmpty();
    assertThat(written.givenBack).containsExactly("0", "0");
  }

  @Test
  void a_neighbour_that_passes_later_proves_it() {
    load(1, channel(Set.of("0")));
    new LoadBatch(channel(Set.of("0")), written, evidence).load(List.of(Rows.claim("later")));
    load(1, channel(Set.of("0")));

    assertThat(written.parked.keySet()).containsExactly("0");
  }

  @Test
  void a_broker_that_goes_away_parks_nothing() {
    load(
        100,
        (group, alone) ->
            new SendResult(
                group.stream().map(claim -> uncertain(claim, "connection lost")).toList(),
                List.of(),
                "connection lost"));

    assertThat(written.away).hasSize(100);
    assertThat(written.parked).isEmpty();
  }

  @Test
  void not_even_in_the_middle_of_a_search() {
    ClaimSender channel = channel(Set.of("7"));
    load(
        100,
        (group, alone) ->
            alone ? new SendResult(List.of(), group, "no connection") : channel.send(group, false));

    assertThat(written.parked).isEmpty();
    assertThat(written.away).contains("7");
    assertThat(written.confirmed.size() + written.away.size()).isEqualTo(100);
  }

  @Test
  void a_channel_that_closes_with_other_words_each_time_is_not_the_messages_fault() {
    load(
        2,
        (group, alone) ->
            group.size() == 1 && group.get(0).key().id().equals("1")
                ? confirmed(group)
                : cut(group, "words " + sends++));

    assertThat(written.parked).isEmpty();
    assertThat(written.unproved).containsExactly("0");
  }

  @Test
  void what_is_refused_is_given_back_and_what_has_no_target_waits() {
    load(
        3,
        (group, alone) ->
            new SendResult(
                List.of(
                    result(group.get(0), PublishOutcome.REJECTED, "full", Problem.BROKER),
                    result(group.get(1), PublishOutcome.RETURNED, "NO_ROUTE", Problem.TARGET),
                    result(group.get(2), PublishOutcome.REJECTED, "too big", Problem.MESSAGE)),
                List.of(),
                null));

    assertThat(written.givenBack).containsExactly("0");
    assertThat(written.waiting).containsExactly("1");
    assertThat(written.parked).containsEntry("2", "too big");
  }

  @Test
  void what_a_queue_of_its_target_refuses_is_set_aside() {
    load(
        2,
        (group, alone) ->
            new SendResult(
                List.of(
                    result(group.get(0), PublishOutcome.REJECTED, "full", Problem.REFUSED),
                    result(group.get(1), PublishOutcome.CONFIRMED, "", Problem.NONE)),
                List.of(),
                null));

    assertThat(written.refused).containsExactly("0");
    assertThat(written.uncertain).containsExactly("0");
    assertThat(written.confirmed).containsExactly("1");
    assertThat(written.givenBack).isEmpty();
  }

  /** As every third of a classic wheel's in a cluster does whose one node of three is down. */
  @Test
  void what_a_hold_queue_does_not_take_is_set_aside_each_time_and_never_searched() {
    String words = "the broker refused it (basic.nack), or lost the node";
    ClaimSender oneNodeDown =
        (group, alone) -> {
          sends++;
          List<HandOffResult> results = new ArrayList<>();
          for (Claim claim : group) {
            results.add(
                Integer.parseInt(claim.key().id()) % 3 == 0
                    ? result(claim, PublishOutcome.UNCERTAIN, words, Problem.HOLD)
                    : result(claim, PublishOutcome.CONFIRMED, "", Problem.NONE));
          }
          return new SendResult(results, List.of(), null);
        };

    load(9, oneNodeDown);
    load(9, oneNodeDown);

    assertThat(sends).isEqualTo(2);
    assertThat(written.notHeld).containsExactly("0", "3", "6", "0", "3", "6");
    assertThat(written.uncertain).containsExactlyElementsOf(written.notHeld);
    assertThat(written.confirmed).hasSize(12);
    assertThat(written.parked).isEmpty();
    assertThat(written.givenBack).isEmpty();
  }

  private void load(int count, ClaimSender sending) {
    List<Claim> batch =
        IntStream.range(0, count).mapToObj(i -> Rows.claim(String.valueOf(i))).toList();
    new LoadBatch(sending, written, evidence).load(batch);
  }

  /**
   * What comes before the poisoned one passes; what comes after it is not answered, or not sent.
   */
  private ClaimSender channel(Set<String> poisoned) {
    return (group, alone) -> {
      sends++;
      List<HandOffResult> results = new ArrayList<>();
      for (int i = 0; i < group.size(); i++) {
        Claim claim = group.get(i);
        if (poisoned.contains(claim.key().id())) {
          int unanswered = Math.min(group.size(), i + 20);
          group.subList(i, unanswered).forEach(each -> results.add(uncertain(each, WORDS)));
          return new SendResult(results, group.subList(unanswered, group.size()), null);
        }
        results.add(result(claim, PublishOutcome.CONFIRMED, "", Problem.NONE));
      }
      return new SendResult(results, List.of(), null);
    };
  }

  private static SendResult confirmed(List<Claim> group) {
    return new SendResult(
        group.stream()
            .map(claim -> result(claim, PublishOutcome.CONFIRMED, "", Problem.NONE))
            .toList(),
        List.of(),
        null);
  }

  private static SendResult cut(List<Claim> group, String words) {
    return new SendResult(
        group.stream().map(claim -> uncertain(claim, words)).toList(), List.of(), null);
  }

  private static HandOffResult uncertain(Claim claim, String words) {
    return result(claim, PublishOutcome.UNCERTAIN, words, Problem.BROKER);
  }

  private static HandOffResult result(
      Claim claim, PublishOutcome outcome, String detail, Problem problem) {
    return new HandOffResult(claim, outcome, detail, problem, outcome == PublishOutcome.CONFIRMED);
  }
}
