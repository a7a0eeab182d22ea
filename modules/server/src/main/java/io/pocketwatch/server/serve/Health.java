// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.NativeHold;
import io.pocketwatch.loader.LoaderState;
import io.pocketwatch.schedule.SchedulesRunner;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.server.api.Vitals;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a daemon is doing, as its parts say.
 *
 * @param notConnected why there is no connection to the broker, or null if there is
 * @param brokerVersion the broker last connected to
 * @param store what the store is
 * @param look how it was last seen
 * @param loader our own loader
 * @param loadsFor how long that has been loading
 * @param stuck why our own loader seems to get nowhere, or null
 * @param holds the hold queues that take no messages or pass none on, and what helps
 * @param kept what waits for a person in queues
 * @param nativeHold whether the broker holds messages by itself where that is asked for
 * @param waitingCallbacks why routes that should call back do not
 * @param schedules our own runner of schedules
 * @param lateSchedules those that nobody has fired for two intervals
 * @param fileProblem why the configuration file as it is now is not used, or null
 */
record Health(
    @Nullable String notConnected,
    String brokerVersion,
    String store,
    StoreWatch.Look look,
    LoaderState loader,
    Duration loadsFor,
    @Nullable String stuck,
    HoldWatch.Look holds,
    KeptWatch.Look kept,
    NativeHold nativeHold,
    List<String> waitingCallbacks,
    SchedulesRunner.State schedules,
    List<String> lateSchedules,
    @Nullable String fileProblem) {
  /** A loader that just began has not had the time to be seen in the store. */
  private static final Duration FIRST_SIGN = Duration.ofSeconds(30);

  Health {
    waitingCallbacks = List.copyOf(waitingCallbacks);
    lateSchedules = List.copyOf(lateSchedules);
  }

  /** Why it does not do its work; empty if it does. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (notConnected != null) {
      problems.add("the broker is not connected: " + notConnected);
    }
    if (holds.blocked() != null) {
      problems.add(holds.blocked());
    }
    if (!holds.broken().isEmpty()) {
      problems.add(
          "%s broken, %s: %s"
              .formatted(
                  Numbers.of(holds.broken().size(), "hold queue"),
                  holds.remedy(),
                  holds.broken().get(0)));
    }
    if (holds.policies() != null) {
      problems.add(holds.policies());
    }
    if (look.error() != null) {
      problems.add("the store does not answer: " + look.error());
    }
    if (loader.clockRefused()) {
      problems.add(
          "nothing is loaded: this machine's clock is %d ms off the store's"
              .formatted(-loader.clockOffset().toMillis()));
    }
    if (loader.running() && stuck != null) {
      problems.add(stuck);
    }
    if (nobodyLoads()) {
      problems.add("nobody loads: no loader has shown a sign of life lately");
    }
    return problems;
  }

  private boolean nobodyLoads() {
    boolean justBegan = loader.running() && loadsFor.compareTo(FIRST_SIGN) < 0;
    return look.error() == null && !look.presence().anybody() && !justBegan;
  }

  /**
   * What a person should look at although it works. Silent routes are known to the one loader that
   * sends again what is lost, which may be another server's.
   */
  List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (loader.lastError() != null) {
      warnings.add("the last load ended early: " + loader.lastError());
    }
    loader.silentRoutes().stream()
        .sorted()
        .forEach(
            route -> warnings.add("route " + route + " has overdue messages and settles none"));
    warnings.addAll(waitingCallbacks);
    warnings.addAll(kept.warnings());
    if (look.error() == null) {
      warnings.addAll(schedules.warnings());
    }
    lateSchedules.stream()
        .filter(name -> !schedules.failing().containsKey(name))
        .forEach(name -> warnings.add("schedule " + name + " has not fired for two intervals"));
    if (notConnected == null && holds.untested() != null) {
      warnings.add("the hold queues are not tested: " + holds.untested());
    }
    if (holds.wrongClock() != null) {
      warnings.add(holds.wrongClock());
    }
    if (notConnected == null && nativeHold.isMissed()) {
      warnings.add("DELIVERY_TIME is not used, the wheel serves: " + nativeHold.words());
    }
    if (fileProblem != null) {
      warnings.add("the configuration file is not used as it is now: " + fileProblem);
    }
    return warnings;
  }

  boolean up() {
    return problems().isEmpty();
  }

  Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("status", up() ? "UP" : "DOWN");
    json.put("problems", problems());
    json.put("warnings", warnings());
    json.put("broker", object("connected", notConnected == null, "version", brokerVersion));
    json.put("store", object("reachable", look.error() == null, "what", store));
    json.put(
        "clock",
        object("offsetMs", loader.clockOffset().toMillis(), "refused", loader.clockRefused()));
    Map<String, @Nullable Object> own = new LinkedHashMap<>();
    own.put("running", loader.running());
    own.put("lastRun", text(loader.lastRun()));
    own.put("nextRun", text(loader.nextRun()));
    own.put("loadedUpTo", text(loader.horizon()));
    own.put("loaded", loader.loaded());
    own.put("lagSeconds", look.lag().toMillis() / 1_000.0);
    json.put("loader", own);
    json.put(
        "loaders",
        object(
            "alive",
            look.presence().alive(),
            "lastSignOfLife",
            text(look.presence().last().map(LoaderHeartbeat::at).orElse(null))));
    Map<String, @Nullable Object> fires =
        object("running", schedules.running(), "lastPass", text(schedules.lastPass()));
    fires.put("failing", List.copyOf(schedules.failing().keySet()));
    fires.put("late", lateSchedules);
    json.put("schedules", fires);
    json.put("brokenHoldQueues", holds.broken());
    if (nativeHold.state() != NativeHold.State.NOT_ASKED) {
      Duration ahead = nativeHold.ahead();
      Map<String, @Nullable Object> time =
          object("used", nativeHold.isUsable(), "why", nativeHold.words());
      time.put("clockOffsetMs", ahead == null ? null : ahead.toMillis());
      json.put("deliveryTime", time);
    }
    json.put("silentRoutes", loader.silentRoutes().stream().sorted().toList());
    return json;
  }

  Vitals vitals() {
    return new Vitals(
        json(),
        problems(),
        warnings(),
        notConnected == null,
        brokerVersion,
        look.error() == null,
        store,
        loader,
        look.presence().alive(),
        look.lag(),
        holds.broken(),
        kept.parked(),
        schedules);
  }

  private static Map<String, @Nullable Object> object(
      String key, @Nullable Object value, String other, @Nullable Object otherValue) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    object.put(key, value);
    object.put(other, otherValue);
    return object;
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
