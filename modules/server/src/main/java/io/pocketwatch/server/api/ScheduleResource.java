// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.ScheduleException.OtherVersionException;
import io.pocketwatch.schedule.ScheduleView;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.schedule.Schedules.Run;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.access.RateLimits;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.http.RequestMemory;
import io.pocketwatch.server.request.Bodies;
import io.pocketwatch.server.request.Fields;
import io.pocketwatch.server.request.NewSchedule;
import io.pocketwatch.server.request.Parameters;
import io.pocketwatch.server.view.MessageView;
import io.pocketwatch.server.view.ScheduleContent;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Shows, defines, pauses and runs schedules. A caller sees those on its routes. */
final class ScheduleResource {
  static final String ALL = HttpPart.REST + "/schedules";

  private static final String ONE = ALL + "/{name}";

  /** A definition without its body, at most, with its tree and the answer made of it. */
  private static final long BYTES_LISTED = 4 * 4_000;

  private static final int PREVIEWED = 10;
  private static final int MOST_SHOWN = 1_000;

  private final Backend backend;
  private final Bodies bodies;

  /** Attempts of a put without a version, while other clients put the same name. */
  private static final int PUT_ATTEMPTS = 10;

  private final RateLimits rates;
  private final boolean configuredOnly;
  private final ChangeLog log;

  ScheduleResource(
      Backend backend, Bodies bodies, RateLimits rates, boolean configuredOnly, ChangeLog log) {
    this.log = log;
    this.backend = backend;
    this.bodies = bodies;
    this.rates = rates;
    this.configuredOnly = configuredOnly;
  }

  void addTo(RoutesConfig routes) {
    routes.get(ALL, this::list);
    routes.get(ONE, this::get);
    routes.put(ONE, this::put);
    routes.delete(ONE, this::delete);
    routes.post(ALL + "/preview", this::preview);
    routes.post(ONE + "/pause", this::pause);
    routes.post(ONE + "/resume", this::resume);
    routes.post(ONE + "/run", this::run);
    routes.get(ONE + "/occurrences", this::occurrences);
  }

  private Schedules schedules() {
    return Schedules.of(backend.publisher());
  }

  private void list(Context context) {
    Caller caller = Caller.of(context);
    Schedules schedules = schedules();
    Map<String, String> failing = backend.health().schedules().failing();
    Instant now = schedules.now();
    if (!RequestMemory.of(context::attribute).take(BYTES_LISTED * schedules.count())) {
      throw Problem.overloaded();
    }
    List<ScheduleView> seen = schedules.list().stream().filter(each -> sees(caller, each)).toList();
    Answers.json(
        context,
        200,
        Map.of(
            "schedules",
            seen.stream().map(each -> ScheduleContent.of(each, now, failing)).toList()));
  }

  private void get(Context context) {
    Schedules schedules = schedules();
    answer(context, 200, schedules, seen(context, schedules));
  }

  private void put(Context context) {
    String name = context.pathParam("name");
    Caller caller = Caller.of(context);
    Schedule schedule = NewSchedule.read(name, Fields.of(bodies.message(context)), null);
    requireTarget(caller, schedule);
    Schedules schedules = schedules();
    for (int attempt = 1; ; attempt++) {
      Optional<ScheduleView> there = schedules.find(name);
      if (there.isPresent() && !sees(caller, there.get())) {
        throw Problem.of(
            ProblemType.FORBIDDEN, "the name '%s' is taken on another route".formatted(name));
      }
      Long asked = expected(context, there);
      long found = there.map(each -> each.stored().version()).orElse(0L);
      try {
        ScheduleView after = schedules.put(schedule, asked == null ? found : asked, caller.actor());
        note(caller, "put", name, schedule.route());
        answer(context, there.isPresent() ? 200 : 201, schedules, after);
        return;
      } catch (OtherVersionException e) { // first look whose it is now
        if (asked != null || attempt == PUT_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private void delete(Context context) {
    Schedules schedules = schedules();
    ScheduleView there = seen(context, schedules);
    String name = there.stored().name();
    Caller caller = Caller.of(context);
    if (!schedules.remove(name, expected(context, Optional.of(there)), caller.actor())) {
      throw unknown(name);
    }
    note(caller, "remove", name, routeOf(there));
    context.status(204).header("Cache-Control", "no-store");
  }

  /** The version that the request's headers expect; null for any. */
  private static @Nullable Long expected(Context context, Optional<ScheduleView> there) {
    if ("*".equals(context.header("If-None-Match"))) {
      return 0L;
    }
    String match = context.header("If-Match");
    if (match == null) {
      return null;
    }
    if (match.equals("*") && there.isPresent()) {
      return there.get().stored().version();
    }
    try {
      return Long.valueOf(match.replaceAll("^\"|\"$", ""));
    } catch (NumberFormatException e) {
      return -1L; // never there
    }
  }

  private void preview(Context context) {
    Schedule schedule = NewSchedule.read("preview", Fields.of(bodies.message(context)), "preview");
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("words", ScheduleContent.words(schedule.recurrence()));
    json.put("next", ScheduleContent.preview(schedules().preview(schedule, PREVIEWED)));
    Answers.json(context, 200, json);
  }

  private void pause(Context context) {
    Fields fields = optional(context);
    String note = fields.text("note");
    Instant until = fields.instant("until");
    fields.requireNoOther();
    change(context, "pause", (schedules, name, by) -> schedules.pause(name, note, until, by));
  }

  private void resume(Context context) {
    optional(context).requireNoOther();
    change(context, "resume", Schedules::resume);
  }

  private interface ScheduleChange {
    ScheduleView apply(Schedules schedules, String name, String actor);
  }

  private void change(Context context, String what, ScheduleChange change) {
    Caller caller = Caller.of(context);
    Schedules schedules = schedules();
    String name = seen(context, schedules).stored().name();
    ScheduleView after = checked(() -> change.apply(schedules, name, caller.actor()));
    note(caller, what, name, routeOf(after));
    answer(context, 200, schedules, after);
  }

  private void run(Context context) {
    Fields fields = optional(context);
    String id = fields.text("id");
    fields.requireNoOther();
    String key = id == null ? context.header("Idempotency-Key") : id;
    Caller caller = Caller.of(context);
    Schedules schedules = schedules();
    Schedule schedule = readable(seen(context, schedules));
    rates.requireMessage(caller, schedule.route());
    Run run = schedules.run(schedule.name(), key, caller.actor());
    note(caller, "run", schedule.name(), schedule.route());
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("route", run.key().route());
    json.put("id", run.key().id());
    json.put("duplicate", !run.inserted());
    json.put("href", MessageView.href(run.key()));
    Answers.json(context, run.inserted() ? 201 : 200, json);
  }

  private void occurrences(Context context) {
    Parameters parameters = new Parameters(context, "next", "past");
    int next = parameters.integer("next", 0, MOST_SHOWN, 10);
    int past = parameters.integer("past", 0, MOST_SHOWN, 20);
    Schedules schedules = schedules();
    Schedule schedule = readable(seen(context, schedules));
    Answers.json(
        context,
        200,
        ScheduleContent.of(schedules.occurrences(schedule.name(), next, past), schedule));
  }

  private void answer(Context context, int status, Schedules schedules, ScheduleView view) {
    context.header("ETag", "\"" + view.stored().version() + "\"");
    Answers.json(
        context,
        status,
        ScheduleContent.of(view, schedules.now(), backend.health().schedules().failing()));
  }

  /** The fields of the body, which may be left out. */
  private Fields optional(Context context) {
    byte[] body = RequestMemory.of(context::attribute).body();
    return Fields.of(
        body != null && body.length == 0
            ? JsonNodeFactory.instance.objectNode()
            : bodies.plain(context));
  }

  /** Makes problems of refusals that depend on the time, or on the number of schedules. */
  private static <T> T checked(Supplier<T> change) {
    try {
      return change.get();
    } catch (IllegalArgumentException e) {
      throw Problem.at(ProblemType.INVALID_FIELD, "", ErrorWords.of(e));
    }
  }

  private static ScheduleView seen(Context context, Schedules schedules) {
    String name = context.pathParam("name");
    Caller caller = Caller.of(context);
    return schedules.find(name).filter(each -> sees(caller, each)).orElseThrow(() -> unknown(name));
  }

  private static Problem unknown(String name) {
    return Problem.of(ProblemType.UNKNOWN_SCHEDULE, "there is no schedule '%s'".formatted(name));
  }

  private static boolean sees(Caller caller, ScheduleView view) {
    return view.schedule() == null
        ? caller.routes().isEmpty()
        : caller.sees(view.schedule().route());
  }

  private static Schedule readable(ScheduleView view) {
    if (view.schedule() == null) {
      throw Problem.of(ProblemType.IMPOSSIBLE_SCHEDULE, String.valueOf(view.problem()));
    }
    return view.schedule();
  }

  /** Refuses a target that the caller may not send to: it need not be that of the route. */
  private void requireTarget(Caller caller, Schedule schedule) {
    caller.requireRoute(schedule.route());
    DelayRoutes routes = backend.routes();
    DelayRoute route = routes.named(schedule.route());
    if (route == null || !configuredOnly && caller.routes().isEmpty()) {
      return;
    }
    String exchange = schedule.exchange();
    String key = schedule.routingKey();
    if (exchange != null && !exchange.equals(route.exchange())
        || key != null && route.routingKey() != null && !key.equals(route.routingKey())) {
      throw Problem.of(
          ProblemType.FORBIDDEN,
          "the target is not that of route '%s'; leave out exchange and routingKey"
              .formatted(route.name()));
    }
  }

  private void note(Caller caller, String what, String schedule, @Nullable String route) {
    log.add(caller, what, route, "schedule " + schedule, 1, 0);
  }

  private static @Nullable String routeOf(ScheduleView view) {
    Schedule schedule = view.schedule();
    return schedule == null ? null : schedule.route();
  }
}
