// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.account.Journal.Step;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Holds what happened in a round against what the table allows. */
public final class Account {
  private static final int EXAMPLES = 5;
  private static final String NO_FAULT = "none";

  private final Ledger ledger;
  private final HoldQueueType hold;
  private final Set<String> faults;
  private final List<Window> windows;
  private final Map<Figure, Integer> figures = new EnumMap<>(Figure.class);
  private final Map<Figure, List<String>> examples = new EnumMap<>(Figure.class);
  private long worst;
  private String latest = "";

  /**
   * @param faults that struck; with none nothing may be lost or repeated
   * @param windows how long each lasted
   */
  public Account(Ledger ledger, HoldQueueType hold, Set<String> faults, List<Window> windows) {
    this.ledger = ledger;
    this.hold = hold;
    this.faults = faults;
    this.windows = windows;
    for (Figure figure : Figure.values()) {
      figures.put(figure, 0);
    }
  }

  /**
   * The verdict.
   *
   * @param deadLettered copies that target queues gave up
   * @param nodesRestarted because they passed nothing on any more
   * @param ownEnds of processes
   * @param strikes how often each fault struck
   */
  public RoundResult result(
      int deadLettered, int nodesRestarted, int ownEnds, Map<String, Integer> strikes) {
    ledger.entries().forEach(this::take);
    add(Figure.DEAD_LETTERED, deadLettered);
    add(Figure.NODES_RESTARTED, nodesRestarted);
    add(Figure.RESTARTED_THEMSELVES, ownEnds);
    List<String> broken = new ArrayList<>();
    for (Figure figure :
        List.of(
            Figure.LOST,
            Figure.EARLY,
            Figure.DUPLICATES_NOT_ALLOWED,
            Figure.DUPLICATE_EFFECTS,
            Figure.HANDLED_AFTER_CANCEL,
            Figure.ROWS_LEFT,
            Figure.NOT_TAKEN,
            Figure.UNKNOWN,
            Figure.DEAD_LETTERED)) {
      if (figures.getOrDefault(figure, 0) > 0) {
        broken.add(
            "%s: %s, such as %s"
                .formatted(
                    figure.word(), figures.get(figure), examples.getOrDefault(figure, List.of())));
      }
    }
    return new RoundResult(
        faults.isEmpty() ? NO_FAULT : String.join("+", faults),
        hold,
        figures,
        worst,
        latest,
        broken,
        new LinkedHashMap<>(strikes));
  }

  /** Whether all that is still open may as well be lost, so that nobody need wait for long. */
  public boolean onlyAllowedLossesLeft() {
    return ledger.entries().stream()
        .filter(entry -> !entry.done())
        .allMatch(entry -> entry.confirmed() && mayBeLost(entry));
  }

  private void take(Entry entry) {
    add(Figure.MESSAGES, 1);
    add(Figure.CONFIRMED, entry.confirmed() ? 1 : 0);
    add(Figure.UNCERTAIN, entry.count(Step.UNCERTAIN));
    add(Figure.REJECTED, entry.count(Step.REJECTED));
    add(Figure.RETURNED, entry.count(Step.RETURNED));
    add(Figure.HELD_AGAIN, entry.count(Step.HELD_AGAIN));
    add(Figure.PUT_OFF, entry.count(Step.PUT_OFF));
    add(Figure.MOVED, entry.count(Step.MOVED) > 0 ? 1 : 0);
    add(Figure.CANCELLED, entry.cancelled() ? 1 : 0);
    count(Figure.HANDLED_AFTER_CANCEL, entry.cancelled() && entry.handled() != null ? 1 : 0, entry);
    count(Figure.ROWS_LEFT, entry.leftBehind() ? 1 : 0, entry);
    count(Figure.UNKNOWN, entry.count(Step.UNKNOWN), entry);
    count(Figure.DUPLICATE_EFFECTS, entry.count(Step.SECOND_EFFECT), entry);
    add(Figure.LEFT_UNCERTAIN, entry.givenUp() ? 1 : 0);
    count(Figure.NOT_TAKEN, entry.confirmed() || entry.givenUp() ? 0 : 1, entry);
    Set<Leave> leaves = leaves(entry);
    Long handled = entry.handled();
    if (handled != null) {
      add(Figure.HANDLED, 1);
      if (handled - entry.due() > worst) {
        worst = handled - entry.due();
        latest = entry.lane().name();
      }
      if (handled < entry.earliest()) {
        boolean allowed = leaves.contains(Leave.EARLY) && !entry.lane().guarded();
        count(allowed ? Figure.EARLY_ALLOWED : Figure.EARLY, 1, entry);
      }
    } else if (entry.parked()) {
      count(leaves.contains(Leave.PARKED) ? Figure.PARKED : Figure.LOST, 1, entry);
    } else if (entry.confirmed() && !entry.cancelled()) {
      count(mayBeLost(entry) ? Figure.LOST_ALLOWED : Figure.LOST, 1, entry);
    }
    int copies = entry.copiesTooMany();
    add(Figure.DUPLICATE_DELIVERIES, copies);
    if (!leaves.contains(Leave.TWICE) && !entry.sentAgainUnsure()) {
      count(Figure.DUPLICATES_NOT_ALLOWED, copies, entry);
    }
  }

  private boolean mayBeLost(Entry entry) {
    Set<Leave> leaves = leaves(entry);
    if (leaves.contains(Leave.LOST)) {
      return true;
    }
    return leaves.contains(Leave.LOST_NEAR)
        && windows.stream().anyMatch(window -> window.covers(entry.due()));
  }

  private Set<Leave> leaves(Entry entry) {
    Tracking tracking = entry.lane().tracking();
    Set<Leave> leaves = Guarantees.allow(faults, tracking, hold);
    if (tracking == Tracking.NONE && entry.stored()) {
      leaves.addAll(
          Guarantees.allow(faults, Tracking.HANDOFF, hold)); // a loader hands it over, too
    }
    return leaves;
  }

  private void add(Figure figure, int more) {
    figures.merge(figure, more, Integer::sum);
  }

  private void count(Figure figure, int more, Entry entry) {
    add(figure, more);
    if (more > 0) {
      List<String> shown = examples.computeIfAbsent(figure, any -> new ArrayList<>());
      if (shown.size() < EXAMPLES) {
        shown.add(entry.toString());
      }
    }
  }
}
