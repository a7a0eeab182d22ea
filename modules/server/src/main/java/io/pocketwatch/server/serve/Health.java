// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.NativeHold;
import io.pocketwatch.loader.LoaderState;
import io.pocketwatch.schedule.SchedulesRunner;
import io.pocketwatch.server.view.HealthView;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.server.view.Notice.Code;
import io.pocketwatch.server.view.OverdueView;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import io.pocketwatch.store.OverviewStore.LostChanges;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import io.pocketwatch.store.OverviewStore.OverdueCount.Part;
import io.pocketwatch.store.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The health of a daemon, from its parts.
 *
 * @param notConnected why there is no connection to the broker, or null if there is
 * @param brokerVersion the broker last connected to
 * @param store describes the store
 * @param look the last look at the store
 * @param loader our own loader
 * @param loadsFor for how long it has been loading
 * @param stuck why our own loader seems to make no progress, or null
 * @param holds the last look at the hold queues: those that are broken, and the remedy
 * @param deadLetters the last counts of dead letters
 * @param nativeHold whether the broker holds messages natively, if that is asked for
 * @param waitingCallbacks why callbacks wait
 * @param schedules our own runner of schedules
 * @param lateSchedules schedules that have not fired for two intervals
 * @param fileProblem why the configuration file as it is now is not used, or null
 */
public record Health(
    @Nullable String notConnected,
    String brokerVersion,
    String store,
    StoreWatch.Look look,
    LoaderState loader,
    Duration loadsFor,
    @Nullable Notice stuck,
    HoldWatch.Look holds,
    DeadLetterWatch.Look deadLetters,
    NativeHold nativeHold,
    List<Notice> waitingCallbacks,
    SchedulesRunner.State schedules,
    List<String> lateSchedules,
    @Nullable String fileProblem)
    implements HealthView {
  /** A loader that just began may not have its first heartbeat in the store yet. */
  private static final Duration FIRST_SIGN = Duration.ofSeconds(30);

  /** Slow handlers, and a busy minute, are no reason for a warning. */
  static final Duration WARN_AFTER = Duration.ofMinutes(2);

  private static final int MOST_ROUTES = 20;

  public Health {
    waitingCallbacks = List.copyOf(waitingCallbacks);
    lateSchedules = List.copyOf(lateSchedules);
  }

  @Override
  public List<Notice> problems() {
    List<Notice> problems = new ArrayList<>();
    addIf(problems, Code.BROKER_AWAY, notConnected);
    addIf(problems, Code.BROKER_BLOCKED, holds.blocked());
    if (!holds.broken().isEmpty()) {
      problems.add(holds.notice());
    }
    addIf(problems, Code.POLICIES_HARM, holds.policies());
    addIf(problems, Code.STORE_AWAY, look.error());
    if (loader.running() && stuck != null) {
      problems.add(stuck);
    }
    if (nobodyLoads()) {
      problems.add(Notice.of(Code.NOBODY_LOADS));
    }
    return problems;
  }

  private static void addIf(List<Notice> notices, Code code, @Nullable String reason) {
    if (reason != null) {
      notices.add(Notice.of(code, "reason", reason));
    }
  }

  private boolean nobodyLoads() {
    boolean justBegan = loader.running() && loadsFor.compareTo(FIRST_SIGN) < 0;
    return storeReachable() && !look.presence().anybody() && !justBegan;
  }

  @Override
  public List<Notice> warnings() {
    List<Notice> warnings = new ArrayList<>();
    LostChanges lost = look.lost();
    if (lost != null) {
      warnings.add(
          Notice.of(Code.STORE_LOST, "after", lost.after() == null ? "?" : lost.after().toString())
              .and("until", lost.until().toString()));
    }
    addIf(warnings, Code.LOAD_FAILED, storeReachable() ? loader.lastError() : null);
    warnings.addAll(overdueWarnings());
    warnings.addAll(waitingCallbacks);
    warnings.addAll(deadLetters.warnings());
    if (storeReachable()) {
      addIf(warnings, Code.SCHEDULES_STOPPED, schedules.lastError());
      schedules
          .failing()
          .forEach(
              (name, why) ->
                  warnings.add(
                      Notice.of(Code.SCHEDULE_FAILING, "schedule", name).and("reason", why)));
    }
    lateSchedules.stream()
        .filter(name -> !schedules.failing().containsKey(name))
        .forEach(name -> warnings.add(Notice.of(Code.SCHEDULE_LATE, "schedule", name)));
    addIf(warnings, Code.HOLDS_UNTESTED, connected() ? holds.untested() : null);
    if (holds.wrongClock() != null) {
      warnings.add(holds.wrongClock());
    }
    addIf(
        warnings,
        Code.DELIVERY_TIME_UNUSED,
        connected() && nativeHold.isMissed() ? nativeHold.description() : null);
    addIf(warnings, Code.FILE_UNUSED, fileProblem);
    return warnings;
  }

  /**
   * Warnings of overdue messages, the oldest first. Which routes settle nothing is known only to
   * the one loader that resends lost messages, which may be another server's.
   */
  private List<Notice> overdueWarnings() {
    List<OverdueCount> late =
        overdue().stream()
            .filter(each -> each.late().age(look.at()).compareTo(WARN_AFTER) > 0)
            .sorted(Comparator.comparing(each -> each.late().oldest()))
            .toList();
    List<Notice> warnings = new ArrayList<>();
    late.stream().limit(MOST_ROUTES).forEach(each -> warnings.add(warning(each)));
    if (late.size() > MOST_ROUTES) {
      List<OverdueCount> more = late.subList(MOST_ROUTES, late.size());
      Part sum = more.stream().map(OverdueCount::late).reduce(Part.NONE, Part::plus);
      warnings.add(about(Code.OVERDUE_MORE, sum).and("routes", more.size()));
    }
    return warnings;
  }

  private Notice warning(OverdueCount each) {
    boolean silent = loader.silentRoutes().contains(each.route());
    return about(silent ? Code.OVERDUE_SILENT : Code.OVERDUE, each.late())
        .and("route", each.route())
        .and("due", each.in(Phase.DUE).count())
        .and("sent", each.in(Phase.SENT).count())
        .and("beingHandled", each.in(Phase.BEING_HANDLED).count());
  }

  private Notice about(Code code, Part part) {
    return Notice.of(code, "count", part.count())
        .and("oldestSeconds", part.age(look.at()).toSeconds());
  }

  boolean up() {
    return problems().isEmpty();
  }

  @Override
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("status", up() ? "UP" : "DOWN");
    json.put("problems", problems().stream().map(Notice::json).toList());
    json.put("warnings", warnings().stream().map(Notice::json).toList());
    json.put("overdue", OverdueView.of(overdue(), look.at()));
    json.put("broker", object("connected", connected(), "version", brokerVersion));
    json.put("store", object("reachable", storeReachable(), "what", store));
    Map<String, @Nullable Object> own = new LinkedHashMap<>();
    own.put("running", loader.running());
    own.put("lastRun", text(loader.lastRun()));
    own.put("nextRun", text(loader.nextRun()));
    own.put("loadedUpTo", text(loader.horizon()));
    own.put("loaded", loader.loaded());
    json.put("loader", own);
    json.put(
        "loaders",
        object(
            "alive",
            alive(),
            "lastSignOfLife",
            text(look.presence().last().map(LoaderHeartbeat::at).orElse(null))));
    Map<String, @Nullable Object> fires =
        object("running", schedules.running(), "lastPass", text(schedules.lastPass()));
    fires.put("failing", List.copyOf(schedules.failing().keySet()));
    fires.put("late", lateSchedules);
    json.put("schedules", fires);
    json.put("brokenHoldQueues", brokenHolds());
    if (nativeHold.state() != NativeHold.State.NOT_ASKED) {
      Duration ahead = nativeHold.ahead();
      Map<String, @Nullable Object> time =
          object("used", nativeHold.isUsable(), "why", nativeHold.description());
      time.put("clockOffsetMs", ahead == null ? null : ahead.toMillis());
      json.put("deliveryTime", time);
    }
    json.put("silentRoutes", loader.silentRoutes().stream().sorted().toList());
    return json;
  }

  @Override
  public boolean connected() {
    return notConnected == null;
  }

  @Override
  public boolean storeReachable() {
    return look.error() == null;
  }

  @Override
  public int alive() {
    return look.presence().alive();
  }

  @Override
  public List<OverdueCount> overdue() {
    return look.overdue();
  }

  @Override
  public Instant overdueAt() {
    return look.at();
  }

  @Override
  public List<String> brokenHolds() {
    return holds.broken();
  }

  @Override
  public Map<String, Long> parkedCallbacks() {
    return deadLetters.parked();
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
