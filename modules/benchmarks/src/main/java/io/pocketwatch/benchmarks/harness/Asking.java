// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** The threads that ask a lane for the messages of a plan. */
final class Asking {
  /** Fixed, so that every subject of a round is asked for the same. */
  private static final long SEED = 20_251_101;

  private static final long LOOK_MILLIS = 200;

  private final Lane lane;
  private final Ledger ledger;
  private final Plan plan;

  Asking(Lane lane, Ledger ledger, Plan plan) {
    this.lane = lane;
    this.ledger = ledger;
    this.plan = plan;
  }

  /**
   * Returns when every message has been asked for.
   *
   * @param meanwhile is run a few times a second
   */
  void run(Runnable meanwhile) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(plan.threads());
    try {
      long startMillis = System.currentTimeMillis();
      long startNanos = System.nanoTime();
      List<Future<?>> parts = new ArrayList<>();
      for (int thread = 0; thread < plan.threads(); thread++) {
        int first = thread;
        parts.add(threads.submit(() -> part(first, startMillis, startNanos)));
      }
      for (Future<?> part : parts) {
        await(part, meanwhile);
      }
      lane.flush();
    } finally {
      threads.shutdownNow();
    }
  }

  private static void await(Future<?> part, Runnable meanwhile) throws Exception {
    while (true) {
      try {
        part.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException e) {
        meanwhile.run();
      }
    }
  }

  private Void part(int first, long startMillis, long startNanos) throws Exception {
    SplittableRandom random = new SplittableRandom(SEED + first);
    for (int number = first; number < plan.messages(); number += plan.threads()) {
      if (plan.perSecond() > 0) {
        awaitTurn(startNanos + number * TimeUnit.SECONDS.toNanos(1) / plan.perSecond());
      }
      int its = ledger.first() + number;
      long due = plan.due().millis(random, startMillis, System.currentTimeMillis());
      ledger.due(its, due);
      lane.ask(its, Payload.of(its), due);
    }
    return null;
  }

  private static void awaitTurn(long atNanos) {
    // Parks at least a tenth of a millisecond: waking costs, and nobody asks in finer steps.
    for (long wait = atNanos - System.nanoTime(); wait > 0; wait = atNanos - System.nanoTime()) {
      LockSupport.parkNanos(Math.max(wait, 100_000));
    }
  }
}
