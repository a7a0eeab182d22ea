// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.ConcurrencyLimit;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.request.Bodies;
import io.pocketwatch.server.request.Fields;
import io.pocketwatch.server.store.MessageChanges;
import io.pocketwatch.server.view.ChangeWords;
import io.pocketwatch.server.view.MessageView;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.MessageQuery.Cursor;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.SchedulingStore.MessageChange.Kind;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoreException.PartlyChangedException;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cancels, reschedules or retries all messages of a filter, for 5 s per request. */
final class BulkChangeResource {
  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final Duration PER_REQUEST = Duration.ofSeconds(5);
  private static final int BATCH = 1_000;

  private final Backend backend;
  private final Bodies bodies;
  private final ConcurrencyLimit counting;
  private final ChangeLog log;
  private final ConcurrencyLimit changing =
      new ConcurrencyLimit(PER_REQUEST, "changes of many messages");

  /**
   * @param counting the limit that counting waits for
   */
  BulkChangeResource(Backend backend, Bodies bodies, ConcurrencyLimit counting, ChangeLog log) {
    this.log = log;
    this.backend = backend;
    this.bodies = bodies;
    this.counting = counting;
  }

  void addTo(RoutesConfig routes) {
    routes.post(MessageView.PATH + "/changes", this::change);
  }

  private void change(Context context) {
    Caller caller = Caller.of(context);
    Fields fields = Fields.of(bodies.plain(context));
    MessageChange change = what(fields);
    JsonNode given = fields.value("filter");
    JsonNode named = fields.value("messages");
    if (named != null) {
      List<MessageKey> keys = keys(fields, named, caller);
      if (given != null) {
        throw fields.refuse("filter", "cannot be given together with messages");
      }
      fields.requireNoOther();
      Answers.json(context, 200, changing.run(() -> each(keys, change, caller)));
      return;
    }
    if (given == null) {
      throw fields.refuse("filter", "is missing; give a filter or messages");
    }
    MessageQuery filter = filter(Fields.of(given, "/filter"), change.kind());
    boolean dryRun = fields.bool("dryRun", false);
    String cursor = fields.text("cursor");
    fields.requireNoOther();
    if (filter.route() != null) {
      caller.requireRoute(filter.route());
    }
    List<MessageQuery> parts =
        filter.route() != null || caller.routes().isEmpty()
            ? List.of(filter)
            : caller.routes().stream().sorted().map(each -> filter.route(each)).toList();
    if (dryRun) {
      long matching = counting.run(() -> parts.stream().mapToLong(backend.store()::count).sum());
      Answers.json(context, 200, Map.of("matching", matching));
      return;
    }
    Cursors.Place place = cursor == null ? null : Cursors.read(cursor, filter);
    ManyChanged changed = changing.run(() -> runOrTell(parts, change, place, caller.actor()));
    log.addMany(caller, ChangeWords.name(change.kind()), filter, changed);
    Answers.json(context, 200, answer(changed, filter));
  }

  private static List<MessageKey> keys(Fields fields, JsonNode named, Caller caller) {
    if (!named.isArray() || named.isEmpty() || named.size() > BATCH) {
      throw fields.refuse("messages", "is not a list of 1 to %s messages".formatted(BATCH));
    }
    List<MessageKey> keys = new ArrayList<>();
    for (JsonNode each : named) {
      Fields one = Fields.of(each, "/messages/" + keys.size());
      String route = one.text("route");
      String id = one.text("id");
      one.requireNoOther();
      if (route == null || id == null) {
        throw one.refuse(route == null ? "route" : "id", "is missing");
      }
      caller.requireRoute(route);
      keys.add(new MessageKey(route, id));
    }
    return keys;
  }

  /** One after the other, as long as a request may work. */
  private Map<String, Object> each(List<MessageKey> keys, MessageChange change, Caller caller) {
    long end = System.nanoTime() + PER_REQUEST.toNanos();
    MessageChanges changes =
        new MessageChanges(backend.publisher().store(), backend.store(), caller.actor());
    Map<ChangeOutcome, Integer> counted = new EnumMap<>(ChangeOutcome.class);
    List<Map<String, Object>> outcomes = new ArrayList<>();
    for (MessageKey key : keys) {
      if (System.nanoTime() - end > 0) {
        break;
      }
      ChangeOutcome outcome;
      try {
        outcome = changes.apply(key, change);
      } catch (StoreException e) {
        if (outcomes.isEmpty()) {
          throw e;
        }
        LOG.warn("A change of messages is answered as far as it came: {}", ErrorWords.of(e));
        break;
      }
      log.add(caller, ChangeWords.name(change.kind()), key, outcome);
      counted.merge(outcome, 1, Integer::sum);
      outcomes.add(Map.of("route", key.route(), "id", key.id(), "outcome", outcome));
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("changed", counted.getOrDefault(ChangeOutcome.DONE, 0));
    json.put("tooLate", counted.getOrDefault(ChangeOutcome.TOO_LATE, 0));
    json.put("beingHandled", counted.getOrDefault(ChangeOutcome.BEING_HANDLED, 0));
    json.put("unknown", counted.getOrDefault(ChangeOutcome.UNKNOWN, 0));
    json.put("left", keys.size() - outcomes.size());
    json.put("outcomes", outcomes);
    return json;
  }

  private static Map<String, @Nullable Object> answer(ManyChanged changed, MessageQuery filter) {
    Cursor next = changed.next();
    Map<String, @Nullable Object> json = MessageChanges.json(changed);
    json.put(
        "next", next == null ? null : Cursors.of(new Cursors.Place(next, changed.asOf()), filter));
    return json;
  }

  /** Answers with what was done. A client that goes on learns whether the fault has passed. */
  private ManyChanged runOrTell(
      List<MessageQuery> parts, MessageChange change, Cursors.@Nullable Place place, String actor) {
    try {
      return run(parts, change, place, actor);
    } catch (PartlyChangedException e) {
      LOG.warn("A change of many messages is answered as far as it came: {}", ErrorWords.of(e));
      return e.done();
    }
  }

  /** Goes through the filter, on all routes or on each that the caller may see. */
  private ManyChanged run(
      List<MessageQuery> parts, MessageChange change, Cursors.@Nullable Place place, String actor) {
    SchedulingStore store = backend.publisher().store();
    long end = System.nanoTime() + PER_REQUEST.toNanos();
    Predicate<ManyChanged> inTime = soFar -> System.nanoTime() - end < 0;
    Instant before = place == null ? null : place.asOf();
    Instant asOf = before == null ? backend.store().now() : before;
    MessageChange begun = change.asOf(asOf);
    Cursor from = place == null ? null : place.cursor();
    ManyChanged all = new ManyChanged(Map.of(), Set.of(), null, asOf);
    boolean several = parts.size() > 1;
    for (MessageQuery part : parts) {
      String route = Objects.requireNonNullElse(part.route(), "");
      if (from != null && several && from.route().compareTo(route) > 0) {
        continue; // done before
      }
      ManyChanged untilHere =
          all.plus(new ManyChanged(Map.of(), Set.of(), new Cursor(Instant.EPOCH, route, ""), asOf));
      if (!inTime.test(all)) {
        return untilHere;
      }
      MessageQuery rest =
          from != null && (!several || from.route().equals(route)) ? part.after(from) : part;
      try {
        all = all.plus(store.changeAll(rest, begun, actor, inTime));
      } catch (PartlyChangedException e) {
        throw e.after(all);
      } catch (RuntimeException e) {
        throw all.total() == 0 ? e : new PartlyChangedException(untilHere, e);
      }
      if (all.next() != null) {
        return all;
      }
    }
    return all;
  }

  private static MessageChange what(Fields fields) {
    String what = fields.text("change");
    Instant deliverAt = fields.instant("deliverAt");
    Duration by = fields.duration("by");
    if ("reschedule".equals(what)) {
      if (deliverAt != null && by == null) {
        return MessageChange.rescheduleTo(deliverAt);
      }
      if (by == null || deliverAt != null) {
        throw Problem.at(ProblemType.INVALID_FIELD, "", "give either deliverAt or by");
      }
      try {
        return MessageChange.rescheduleBy(by);
      } catch (IllegalArgumentException e) {
        throw fields.refuse("by", ErrorWords.of(e));
      }
    }
    if (deliverAt != null || by != null) {
      throw fields.refuse("change", "is not reschedule, so there is no deliverAt and no by");
    }
    if ("cancel".equals(what)) {
      return MessageChange.cancel();
    }
    if ("retry".equals(what)) {
      return MessageChange.retry();
    }
    throw fields.refuse("change", "is none of cancel, reschedule, retry");
  }

  private static MessageQuery filter(Fields fields, Kind kind) {
    fields.requireNoNull();
    boolean overdue = fields.bool("overdue", false);
    MessageQuery filter =
        new MessageQuery(
            fields.text("route"),
            states(fields, kind, overdue),
            fields.text("businessKey"),
            fields.text("reason"),
            fields.instant("dueFrom"),
            fields.instant("dueUntil"),
            overdue,
            false,
            null,
            BATCH);
    fields.requireNoOther();
    if (filter.route() == null && filter.businessKey() == null) {
      throw Problem.at(
          ProblemType.INVALID_FIELD, "/filter", "filter needs a route, a businessKey or both");
    }
    return filter;
  }

  private static Set<MessageState> states(Fields fields, Kind kind, boolean overdue) {
    JsonNode given = fields.value("states");
    if (given == null && overdue) { // what waits for a person is not
      return kind == Kind.RETRY
          ? Set.of(MessageState.HELD)
          : Set.of(MessageState.PENDING, MessageState.HELD);
    }
    if (given == null) {
      return ChangeWords.changeable(kind);
    }
    Set<MessageState> all = ChangeWords.changeable(Kind.CANCEL);
    Set<MessageState> states = EnumSet.noneOf(MessageState.class);
    for (JsonNode each : given) {
      all.stream().filter(state -> state.name().equals(each.textValue())).forEach(states::add);
    }
    if (!given.isArray() || given.isEmpty() || states.size() != given.size()) {
      throw fields.refuse("states", "is not a list of some of " + all);
    }
    return states;
  }
}
