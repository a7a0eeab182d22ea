// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.loader.LoaderState;
import io.pocketwatch.schedule.SchedulesRunner;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a server is doing, as last seen.
 *
 * @param health what {@code /health} answers
 * @param problems why it does not do its work; empty if it does
 * @param warnings what a person should look at although it works
 * @param connected whether there is a connection to the broker
 * @param brokerVersion the broker last connected to
 * @param storeReachable whether the store answered lately
 * @param store what the store is
 * @param loader our own loader
 * @param alive how many loaders show signs of life
 * @param lag how long the longest due message has been waiting in the store
 * @param brokenHolds the hold queues that take no messages
 * @param parkedCallbacks by route, the callbacks that were given up and have no row
 * @param schedules our own runner of schedules
 */
public record Vitals(
    Map<String, @Nullable Object> health,
    List<String> problems,
    List<String> warnings,
    boolean connected,
    String brokerVersion,
    boolean storeReachable,
    String store,
    LoaderState loader,
    int alive,
    Duration lag,
    List<String> brokenHolds,
    Map<String, Long> parkedCallbacks,
    SchedulesRunner.State schedules) {
  public Vitals {
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
    brokenHolds = List.copyOf(brokenHolds);
    parkedCallbacks = Map.copyOf(parkedCallbacks);
  }
}
