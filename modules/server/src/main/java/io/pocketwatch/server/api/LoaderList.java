// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.loader.LoaderPresence;
import io.pocketwatch.loader.LoaderState;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.http.AnswerMemory;
import io.pocketwatch.server.http.AnswerMemory.Room;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.view.HealthView;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The loaders, as the store knows them. */
final class LoaderList {
  /** The most loaders that the store lists. */
  private static final int MOST = 1_000;

  private static final int LARGEST_LINE = 2_000;

  private final Backend backend;
  private final AnswerMemory memory;

  LoaderList(Backend backend, AnswerMemory memory) {
    this.memory = memory;
    this.backend = backend;
  }

  void addTo(RoutesConfig routes) {
    routes.get(HttpPart.REST + "/loaders", this::list);
  }

  private void list(Context context) {
    Caller.of(context).requireAllRoutes();
    HealthView health = backend.health();
    String own = health.loader().owner();
    Instant now = backend.store().now();
    try (Room room = memory.take(MOST * LARGEST_LINE, "the list of loaders")) {
      List<LoaderHeartbeat> beats = backend.store().heartbeats();
      room.keep((long) LARGEST_LINE * beats.size());
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("now", now);
      json.put("loaders", beats.stream().map(beat -> line(beat, now, own)).toList());
      json.put("own", own(health, backend.routes().loader()));
      Answers.json(context, 200, json);
    }
  }

  private static Map<String, @Nullable Object> own(HealthView health, LoaderOptions options) {
    LoaderState state = health.loader();
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("owner", state.owner());
    json.put("running", state.running());
    json.put("lastRun", state.lastRun());
    json.put("nextRun", state.nextRun());
    json.put("loadedUpTo", state.horizon());
    json.put("loaded", state.loaded());
    json.put("lastError", state.lastError());
    json.put("leaseSeconds", StatusPage.seconds(options.lease()));
    json.put("sweepSeconds", StatusPage.seconds(options.sweep()));
    json.put("silentRoutes", state.silentRoutes().stream().sorted().toList());
    return json;
  }

  private static Map<String, @Nullable Object> line(LoaderHeartbeat beat, Instant now, String own) {
    Duration lease = beat.lease();
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("owner", beat.owner());
    json.put("at", beat.at());
    json.put("alive", LoaderPresence.alive(beat, now));
    json.put("lastRun", beat.lastRun());
    json.put("horizon", beat.horizon());
    json.put("loaded", beat.loaded());
    json.put("leaseSeconds", lease == null ? null : StatusPage.seconds(lease));
    json.put("own", beat.owner().equals(own));
    return json;
  }
}
