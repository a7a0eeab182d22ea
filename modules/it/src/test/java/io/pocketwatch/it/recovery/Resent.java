// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.store.StoreEvent;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what a loader gives up and sends again. */
final class Resent implements PocketwatchListener {
  private final AtomicInteger overdue = new AtomicInteger();
  private final AtomicInteger abandoned = new AtomicInteger();
  private final AtomicInteger parked = new AtomicInteger();
  private final AtomicInteger silent = new AtomicInteger();

  int overdue() {
    return overdue.get();
  }

  int abandoned() {
    return abandoned.get();
  }

  int parked() {
    return parked.get();
  }

  /** How often a route was reported to settle nothing. */
  int silent() {
    return silent.get();
  }

  @Override
  public void onEvent(PocketwatchEvent event) {
    if (event instanceof StoreEvent.Recovered one) {
      overdue.addAndGet(one.messages());
    } else if (event instanceof StoreEvent.Abandoned one) {
      abandoned.addAndGet(one.messages());
    } else if (event instanceof StoreEvent.Parked) {
      parked.incrementAndGet();
    } else if (event instanceof StoreEvent.Silent) {
      silent.incrementAndGet();
    }
  }
}
