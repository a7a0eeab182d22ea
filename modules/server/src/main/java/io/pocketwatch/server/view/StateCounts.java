// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.server.access.Caller;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * How many messages are in each state.
 *
 * @param at when they were counted
 * @param total of all routes
 * @param routes by route
 */
public record StateCounts(
    Instant at, Map<MessageState, Long> total, Map<String, Map<MessageState, Long>> routes) {

  /** Makes counts, with zeros for states without messages. */
  public static StateCounts of(
      Instant at, Map<String, Map<MessageState, Long>> counted, Stream<String> configured) {
    Map<String, Map<MessageState, Long>> routes = new TreeMap<>();
    configured.forEach(route -> routes.put(route, zeros()));
    Map<MessageState, Long> total = zeros();
    counted.forEach(
        (route, counts) ->
            counts.forEach(
                (state, count) -> {
                  routes.computeIfAbsent(route, other -> zeros()).put(state, count);
                  total.merge(state, count, Long::sum);
                }));
    return new StateCounts(at, total, routes);
  }

  /** The counts of routes that the caller may see. */
  public StateCounts seenBy(Caller caller) {
    if (caller.routes().isEmpty()) {
      return this;
    }
    Map<String, Map<MessageState, Long>> seen = new TreeMap<>(routes);
    seen.keySet().removeIf(route -> !caller.sees(route));
    return of(at, seen, Stream.empty());
  }

  private static Map<MessageState, Long> zeros() {
    Map<MessageState, Long> zeros = new EnumMap<>(MessageState.class);
    for (MessageState state : MessageState.values()) {
      zeros.put(state, 0L);
    }
    return zeros;
  }
}
