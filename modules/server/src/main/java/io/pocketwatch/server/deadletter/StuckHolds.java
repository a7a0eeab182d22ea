// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import io.pocketwatch.server.deadletter.BrokenHold.State;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds hold queues that pass nothing on for so long that it is no mere delay. Not thread-safe. */
public final class StuckHolds {
  /**
   * A burst takes its time, and a dead-letter worker of RabbitMQ 4.3 can wait a minute for an
   * answer that was lost with a leader.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Map<String, Instant> since = new HashMap<>();

  /**
   * The found holds, without stuck ones that were not stuck in each check of the last 3 min.
   *
   * @param now not earlier than in the call before
   */
  public List<BrokenHold> lasting(List<BrokenHold> found, Instant now) {
    Set<String> stuck =
        found.stream()
            .filter(each -> each.state() == State.STUCK)
            .map(BrokenHold::queue)
            .collect(Collectors.toSet());
    since.keySet().retainAll(stuck);
    stuck.forEach(queue -> since.putIfAbsent(queue, now));
    return found.stream()
        .filter(
            each -> {
              Instant begin = since.get(each.queue());
              return begin == null || !now.isBefore(begin.plus(PATIENCE));
            })
        .toList();
  }
}
