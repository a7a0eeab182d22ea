// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.traffic;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.lab.traffic.Visit.Change;
import io.pocketwatch.screen.Numbers;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What has happened so far. Thread-safe. */
final class TrafficCounts {
  private final LongAdder scheduled = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder cancelled = new LongAdder();
  private final LongAdder moved = new LongAdder();
  private final LongAdder handled = new LongAdder();
  private final LongAdder parked = new LongAdder();

  void scheduled(@Nullable PublishReceipt receipt, @Nullable Throwable failure) {
    (failure == null && receipt != null && receipt.confirmed() ? scheduled : refused).increment();
  }

  /** Too late is no news: the message was due. */
  void changed(Change change, ChangeOutcome outcome) {
    if (outcome == ChangeOutcome.DONE) {
      (change == Change.CANCEL ? cancelled : moved).increment();
    }
  }

  void handled() {
    handled.increment();
  }

  void parked() {
    parked.increment();
  }

  String line() {
    return "scheduled %s (refused %s), cancelled %s, moved %s, handled %s, parked %s"
        .formatted(
            Numbers.count(scheduled.sum()),
            Numbers.count(refused.sum()),
            Numbers.count(cancelled.sum()),
            Numbers.count(moved.sum()),
            Numbers.count(handled.sum()),
            Numbers.count(parked.sum()));
  }
}
