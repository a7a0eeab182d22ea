// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** One message, what was asked of it and when, what was answered, and what then happened. */
final class Race {
  /** When somebody changes their mind. */
  enum Phase {
    BEFORE_THE_HORIZON,
    WHILE_HELD,
    AT_THE_INSTANT,
    /** Cancelled and rescheduled at once, by two callers. */
    TWO_AT_THE_INSTANT,
    /** Asked by the handler itself. */
    DURING_THE_HANDLER,
    AFTER,
    /** Of a message that nobody sent. */
    NEVER_SENT
  }

  /**
   * Something to be asked.
   *
   * @param afterMillis from the begin of the race; of no meaning during the handler
   * @param toMillis the new instant, from then on, or null to cancel
   */
  record Change(long afterMillis, @Nullable Integer toMillis) {
    boolean cancels() {
      return toMillis == null;
    }
  }

  /**
   * What was said.
   *
   * @param to the new instant that was asked for, or null for a cancel
   */
  record Answer(ChangeOutcome outcome, @Nullable Instant to) {}

  /** A call of the handler. */
  record Handled(Instant deliverAt, Instant at) {}

  final String id;
  final Phase phase;
  final long delayMillis;
  final List<Change> changes;
  private final ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Handled> handled = new ConcurrentLinkedQueue<>();

  private Race(String id, Phase phase, long delayMillis, List<Change> changes) {
    this.id = id;
    this.phase = phase;
    this.delayMillis = delayMillis;
    this.changes = changes;
  }

  static Race random(String id, Random random) {
    Phase phase = Phase.values()[random.nextInt(Phase.values().length)];
    long delay =
        phase == Phase.BEFORE_THE_HORIZON
            ? 6_000 + random.nextInt(3_000)
            : 1_200 + random.nextInt(3_000);
    long after =
        switch (phase) {
          case BEFORE_THE_HORIZON, NEVER_SENT -> 300L + random.nextInt(1_500);
          case WHILE_HELD -> delay - 50 - random.nextInt(650);
          // A copy takes some 10 ms from its last queue to the handler, which takes as long.
          case AT_THE_INSTANT, TWO_AT_THE_INSTANT -> delay - 30 + random.nextInt(110);
          case DURING_THE_HANDLER -> 0L;
          case AFTER -> delay + 1_000 + random.nextInt(1_000);
        };
    List<Change> changes = new ArrayList<>();
    Integer to = 100 + random.nextInt(2_500);
    if (phase == Phase.TWO_AT_THE_INSTANT) {
      changes.add(new Change(after + random.nextInt(5), null));
      changes.add(new Change(after + random.nextInt(5), to));
    } else {
      changes.add(new Change(after, random.nextBoolean() ? null : to));
    }
    return new Race(id, phase, delay, List.copyOf(changes));
  }

  void answered(Answer answer) {
    answers.add(answer);
  }

  void handled(Handled call) {
    handled.add(call);
  }

  boolean answered() {
    return answers.size() == changes.size();
  }

  /** For a tally: who asked for what, and what they were told. */
  List<String> lines() {
    return answers.stream()
        .map(
            answer ->
                "%s %s: %s"
                    .formatted(
                        phase, answer.to() == null ? "cancel" : "reschedule", answer.outcome()))
        .toList();
  }

  /**
   * What was said that did not come true.
   *
   * @param due its first instant
   * @param row what the store has in the end
   */
  Optional<String> lie(Instant due, Optional<StoredMessage> row) {
    return Optional.ofNullable(broken(due, row.orElse(null)))
        .map(
            what ->
                "%s (%s): %s; answers %s, first due %s, handled %s, row %s"
                    .formatted(id, phase, what, answers, due, handled, row));
  }

  private @Nullable String broken(Instant due, @Nullable StoredMessage row) {
    if (phase == Phase.NEVER_SENT) {
      boolean unknown = answers.stream().allMatch(it -> it.outcome() == ChangeOutcome.UNKNOWN);
      return unknown && row == null && handled.isEmpty() ? null : "not unknown";
    }
    if (row == null || answers.stream().anyMatch(it -> it.outcome() == ChangeOutcome.UNKNOWN)) {
      return "unknown, although it was sent";
    }
    List<Answer> done = answers.stream().filter(it -> it.outcome() == ChangeOutcome.DONE).toList();
    if (phase == Phase.DURING_THE_HANDLER
        && answers.stream().anyMatch(it -> it.outcome() != ChangeOutcome.BEING_HANDLED)) {
      return "its handler was running";
    }
    if (done.stream().anyMatch(it -> it.to() == null)) {
      return handled.isEmpty() && row.state() == MessageState.CANCELLED ? null : "not cancelled";
    }
    Instant promised = done.isEmpty() ? due : done.get(0).to();
    if (handled.size() != 1 || row.state() != MessageState.SETTLED) {
      return "not handled once";
    }
    Handled call = handled.peek();
    if (!call.deliverAt().equals(promised) || !row.deliverAt().equals(promised)) {
      return "handled as of another instant";
    }
    if (call.at().isBefore(promised)) {
      return "handled early";
    }
    return row.generation() == 1 + done.size() ? null : "of another generation";
  }
}
