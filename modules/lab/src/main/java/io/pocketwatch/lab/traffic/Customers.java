// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.traffic;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.lab.traffic.Visit.Change;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** Have messages scheduled, and some of them changed while they wait. For one thread. */
final class Customers {
  private static final int REGULARS = 300;
  private static final Duration LATER = Duration.ofDays(14);

  private final DelayedPublisher publisher;
  private final SchedulingStore store;
  private final Map<ShopRoute, ShopTarget> targets;
  private final TrafficCounts counts;
  private final SplittableRandom random = new SplittableRandom();
  private final String run = Long.toString(System.currentTimeMillis(), 36);
  private final PriorityQueue<Planned> planned =
      new PriorityQueue<>(Comparator.comparing(Planned::at));
  private long number;

  Customers(
      DelayedPublisher publisher,
      SchedulingStore store,
      Map<ShopRoute, ShopTarget> targets,
      TrafficCounts counts) {
    this.publisher = publisher;
    this.store = store;
    this.targets = targets;
    this.counts = counts;
  }

  /** So many at once, and besides them trials that end in weeks. */
  void crowd(int visits, int trials) {
    for (int i = 0; i < trials; i++) {
      visit(Visit.trial(random));
    }
    for (int i = 0; i < visits; i++) {
      visit();
    }
  }

  void visit() {
    visit(Visit.next(random));
  }

  private void visit(Visit visit) {
    ShopTarget target = Objects.requireNonNull(targets.get(visit.route()));
    String id = "demo-" + run + "-" + ++number;
    int customer = random.nextInt(REGULARS);
    publisher
        .publish(
            DelayedMessage.to(target.exchange(), target.routingKey())
                .id(id)
                .businessKey("customer-" + customer)
                .body(Letter.of(number, visit.known() ? customer : null))
                .delay(visit.delay()))
        .whenComplete((receipt, failure) -> counts.scheduled(receipt, failure));
    if (visit.change() != Change.NONE) {
      MessageKey key = new MessageKey(target.route(), id);
      planned.add(new Planned(Instant.now().plus(visit.after()), key, visit.change()));
    }
  }

  /** Cancels and moves what it is time for. */
  void change() {
    Instant now = Instant.now();
    for (Planned next = planned.peek();
        next != null && !next.at.isAfter(now);
        next = planned.peek()) {
      planned.remove();
      ChangeOutcome outcome =
          next.change == Change.CANCEL
              ? store.cancel(next.key)
              : store.reschedule(next.key, now.plus(LATER));
      counts.changed(next.change, outcome);
    }
  }

  private record Planned(Instant at, MessageKey key, Change change) {}
}
