// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

import io.pocketwatch.DelayStrategy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A route on its way to being one, used by one thread. */
final class DelayRouteDraft {
  private final String name;
  private final String exchange;
  private final @Nullable String routingKey;
  List<Duration> delays = List.of();
  @Nullable DelayStrategy strategy;
  @Nullable Duration resolution;
  @Nullable Duration defaultDelay;
  Isolation isolation = Isolation.SHARED;
  UserExpiration userExpiration = UserExpiration.REJECT;
  StorePolicy store = StorePolicy.defaults();

  DelayRouteDraft(String name, String exchange, @Nullable String routingKey) {
    this.name = name;
    this.exchange = exchange;
    this.routingKey = routingKey;
  }

  DelayRouteDraft(DelayRoute route) {
    this(route.name(), route.exchange(), route.routingKey());
    delays = route.delays();
    strategy = route.strategy();
    resolution = route.resolution();
    defaultDelay = route.defaultDelay();
    isolation = route.isolation();
    userExpiration = route.userExpiration();
    store = route.store();
  }

  DelayRoute route() {
    return new DelayRoute(
        name,
        exchange,
        routingKey,
        delays,
        strategy,
        resolution,
        defaultDelay,
        isolation,
        userExpiration,
        store);
  }
}
