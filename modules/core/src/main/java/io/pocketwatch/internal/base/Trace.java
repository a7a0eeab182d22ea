// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public final class Trace {
  static final ConcurrentMap<String, AtomicLongArray> H = new ConcurrentSkipListMap<>();
  static final ConcurrentMap<String, AtomicLong> C = new ConcurrentHashMap<>();

  static {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () ->
                    H.forEach(
                        (k, a) -> {
                          long n = 0;
                          for (int i = 0; i < a.length(); i++) n += a.get(i);
                          if (n == 0) return;
                          StringBuilder b = new StringBuilder(k + " n=" + n);
                          for (double p : new double[] {.1, .5, .9, .99, .999}) {
                            long c = 0;
                            for (int i = 0; i < a.length(); i++) {
                              c += a.get(i);
                              if (c >= p * n) {
                                b.append(" p" + p + "=" + i / 10.0);
                                break;
                              }
                            }
                          }
                          System.err.println("TRACE " + b);
                        })));
  }

  public static void micros(String stage, long micros) {
    long v = Math.max(0, Math.min(9999, micros / 100));
    if (C.computeIfAbsent(stage, q -> new AtomicLong()).incrementAndGet()
            <= Long.getLong("trace.skip", 12000)
        && stage.charAt(0) < '8') return;
    H.computeIfAbsent(stage, s -> new AtomicLongArray(10000)).incrementAndGet((int) v);
  }

  public static void late(String stage, java.time.Instant due) {
    if (due == null) return;
    java.time.Instant n = java.time.Instant.now();
    micros(stage, java.time.Duration.between(due, n).toNanos() / 1000);
  }
}
