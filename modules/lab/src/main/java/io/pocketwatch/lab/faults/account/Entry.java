// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.lab.faults.account.Journal.Line;
import io.pocketwatch.lab.faults.account.Journal.Step;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One message of a round, and all that became of it. For one thread. */
final class Entry {
  /** A sender's clock is read before the publisher reads its own; the store's may be behind. */
  private static final long CLOCKS_MILLIS = 50;

  private static final Set<Step> CONFIRMED = EnumSet.of(Step.CONFIRMED, Step.STORED);

  private final Messages.Message message;
  private final Map<Step, Integer> steps = new EnumMap<>(Step.class);
  private @Nullable Long tried;
  private @Nullable Long confirmedDue;
  private @Nullable Long moved;
  private @Nullable Long arrival;
  private @Nullable Long effect;
  private boolean parkedInStore;
  private boolean rowLeft;

  Entry(Messages.Message message) {
    this.message = message;
  }

  void take(Line line) {
    steps.merge(line.step(), 1, Integer::sum);
    if (line.step() == Step.TRIED && tried == null) {
      tried = line.millis();
    } else if (CONFIRMED.contains(line.step()) && line.millis() > 0) {
      confirmedDue = line.millis();
    } else if (line.step() == Step.MOVED) {
      moved = line.millis();
    } else if (line.step() == Step.DELIVERED && arrival == null) {
      arrival = line.millis();
    }
  }

  void effect(long at) {
    effect = at;
  }

  void parkedInStore() {
    parkedInStore = true;
  }

  void rowLeft() {
    rowLeft = true;
  }

  /** Whether its row would send it again, though nothing is left to do. */
  boolean leftBehind() {
    return rowLeft && lane().guarded() && confirmed() && done();
  }

  Messages.Message message() {
    return message;
  }

  Lane lane() {
    return message.lane();
  }

  int count(Step step) {
    return steps.getOrDefault(step, 0);
  }

  boolean confirmed() {
    return CONFIRMED.stream().anyMatch(step -> count(step) > 0);
  }

  /** Whether a loader was to hand it to the broker. */
  boolean stored() {
    return count(Step.STORED) > 0;
  }

  boolean cancelled() {
    return count(Step.CANCELLED) > 0;
  }

  boolean givenUp() {
    return count(Step.GIVEN_UP) > 0;
  }

  /** Whether an answer was missing, so that an honest sender has sent it again. */
  boolean sentAgainUnsure() {
    return count(Step.UNCERTAIN) > 0 || count(Step.TRIED) > answers();
  }

  private int answers() {
    return count(Step.CONFIRMED)
        + count(Step.STORED)
        + count(Step.REJECTED)
        + count(Step.UNCERTAIN)
        + count(Step.RETURNED)
        + count(Step.REFUSED)
        + count(Step.GIVEN_UP);
  }

  /** When its work was done: the effect where there is a guard, else the first arrival. */
  @Nullable Long handled() {
    return lane().guarded() ? effect : arrival;
  }

  /** Kept for a human. A tracked one counts when its row says so: its copy is sent again. */
  boolean parked() {
    return lane().guarded() ? parkedInStore : parkedInStore || count(Step.PARKED) > 0;
  }

  boolean done() {
    return givenUp()
        || count(Step.REFUSED) > 0
        || (confirmed() && (handled() != null || parked() || cancelled()));
  }

  /** Its instant: where it was moved, else as the receipt said it, else as it was meant. */
  long due() {
    if (moved != null) {
      return moved;
    }
    return confirmedDue != null ? confirmedDue : message.due().toEpochMilli();
  }

  /** Before this it must not be handled. A guard lets pass what is early by its tolerance. */
  long earliest() {
    long meant = tried == null ? message.due().toEpochMilli() : tried;
    long due =
        Math.min(confirmedDue == null ? Long.MAX_VALUE : confirmedDue, meant - CLOCKS_MILLIS);
    if (moved != null) {
      due = moved; // and nobody had handled it before
    }
    return lane().guarded() ? due - GuardOptions.defaults().earlyTolerance().toMillis() : due;
  }

  /** Copies that came after one that had come, and that nobody had asked for. */
  int copiesTooMany() {
    int asked = count(Step.PUT_OFF) + count(Step.MOVING);
    return Math.max(0, count(Step.DELIVERED) + count(Step.SKIPPED) - asked - 1);
  }

  @Override
  public String toString() {
    return "%s %s due %s %s".formatted(message.id(), lane().name(), due(), steps);
  }
}
