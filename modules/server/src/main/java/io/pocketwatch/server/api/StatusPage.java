// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.pocketwatch.loader.LoaderState;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.api.Backend.Silence;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.view.HealthView;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.server.view.OverdueView;
import io.pocketwatch.server.view.StateCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The status in short; asks neither broker nor store. */
final class StatusPage {
  private static final double MILLIS = 1_000.0;

  private final Backend backend;
  private final CountWatch counts;
  private final Series series;

  StatusPage(Backend backend, CountWatch counts, Series series) {
    this.backend = backend;
    this.counts = counts;
    this.series = series;
  }

  void addTo(RoutesConfig routes) {
    routes.get(
        HttpPart.REST + "/status", context -> Answers.json(context, 200, json(Caller.of(context))));
  }

  /** The status for a caller. Warnings and the last step are for those who see all routes. */
  Map<String, @Nullable Object> json(Caller caller) {
    boolean all = caller.routes().isEmpty();
    HealthView health = backend.health();
    StateCounts counted = counts.latest().seenBy(caller);
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("at", Instant.now());
    json.put("up", health.problems().isEmpty());
    json.put("problems", health.problems().stream().map(Notice::json).toList());
    json.put("warnings", all ? health.warnings().stream().map(Notice::json).toList() : List.of());
    Silence silence = backend.silence();
    json.put(
        "broker",
        Map.of(
            "connected",
            health.connected(),
            "version",
            health.brokerVersion(),
            "silentSeconds",
            seconds(silence.broker())));
    json.put(
        "store",
        Map.of(
            "reachable",
            health.storeReachable(),
            "what",
            health.store(),
            "silentSeconds",
            seconds(silence.store())));
    json.put("loader", loader(health));
    json.put("counts", counted.total());
    json.put("overdue", OverdueView.of(health, caller));
    json.put(
        "parkedCallbacks",
        health.parkedCallbacks().entrySet().stream()
            .filter(each -> caller.sees(each.getKey()))
            .mapToLong(Map.Entry::getValue)
            .sum());
    json.put("countedAt", counted.at().equals(Instant.EPOCH) ? null : counted.at());
    json.put("last", all ? series.last() : null);
    return json;
  }

  private static Map<String, @Nullable Object> loader(HealthView health) {
    LoaderState own = health.loader();
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("alive", health.alive());
    json.put("running", own.running());
    json.put("nextRun", own.nextRun());
    json.put("loadedUpTo", own.horizon());
    return json;
  }

  static double seconds(Duration duration) {
    return duration.toMillis() / MILLIS;
  }
}
