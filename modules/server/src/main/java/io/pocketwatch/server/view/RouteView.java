// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.internal.base.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A route as the interface shows it. */
public record RouteView(
    String name,
    String exchange,
    @Nullable String routingKey,
    String tracking,
    List<String> delays,
    @Nullable String defaultDelay,
    @Nullable String strategy,
    @Nullable String spread,
    String isolation,
    @Nullable List<String> retries,
    @Nullable String callback,
    @Nullable OverdueView overdue) {
  /**
   * @param callback the URL its messages are sent to, or null
   * @param overdue what is overdue of it, or null if nothing is
   */
  public static RouteView of(
      DelayRoute route, @Nullable String callback, @Nullable OverdueView overdue) {
    List<Duration> retries = route.retries();
    Duration usual = route.defaultDelay();
    return new RouteView(
        route.name(),
        route.exchange(),
        route.routingKey(),
        route.tracking().name().toLowerCase(Locale.ROOT),
        route.delays().stream().map(DurationText::format).toList(),
        usual == null ? null : DurationText.format(usual),
        route.strategy() == null ? null : route.strategy().name(),
        route.spread().isZero() ? null : DurationText.format(route.spread()),
        route.isolation().name().toLowerCase(Locale.ROOT),
        retries == null ? null : retries.stream().map(DurationText::format).toList(),
        callback,
        overdue);
  }
}
