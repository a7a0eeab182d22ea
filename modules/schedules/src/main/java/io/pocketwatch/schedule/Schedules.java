// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.config.YamlNode;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.rows.RowCodec;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.schedule.FiringRule.Due;
import io.pocketwatch.schedule.Recurrence.Occurrence;
import io.pocketwatch.schedule.ScheduleException.ImpossibleScheduleException;
import io.pocketwatch.schedule.ScheduleException.OtherVersionException;
import io.pocketwatch.schedule.ScheduleException.OwnedByYamlException;
import io.pocketwatch.schedule.ScheduleException.TooManySchedulesException;
import io.pocketwatch.schedule.ScheduleException.UnknownScheduleException;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore;
import io.pocketwatch.store.ScheduleStore.Fired;
import io.pocketwatch.store.ScheduleStore.FoundSchedule;
import io.pocketwatch.store.ScheduleStore.MessageMark;
import io.pocketwatch.store.ScheduleStore.ScheduleChange;
import io.pocketwatch.store.ScheduleStore.ScheduleChanged;
import io.pocketwatch.store.ScheduleStore.ScheduleTotals;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.tracking.TrackedPublisher;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts schedules into the store, finds and changes them. Thread-safe. For them to fire, at least
 * one process needs a {@link SchedulesRunner} and a loader.
 *
 * <p>Each change locks one schedule and is one transaction. All methods throw {@link
 * StoreException} if the store cannot be asked. An {@code actor} names who asks for a change, in up
 * to 200 characters, or is null.
 */
public final class Schedules {
  private static final Logger LOG = LoggerFactory.getLogger(Schedules.class);
  private static final String GONE = "gone from YAML";
  private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");
  private static final int MOST_SHOWN = 1_000;
  private static final int MOST_SCHEDULES = 1_000;
  private static final long MOST_BYTES = 64_000_000;

  /** How many coming occurrences are computed before a rule is trusted. */
  private static final int LOOKED_AT = 40;

  private final ScheduleStore store;
  private final InstantSource clock;
  private final OccurrenceRows rows;
  private final FiringRule rule;

  Schedules(ScheduleStore store, InstantSource clock, OccurrenceRows rows) {
    this.store = store;
    this.clock = clock;
    this.rows = rows;
    this.rule = new FiringRule(rows);
  }

  /**
   * The schedules in a publisher's store.
   *
   * @param publisher its routes are those of the schedules; the caller closes it
   */
  public static Schedules of(TrackedPublisher publisher) {
    HandOff handOff = publisher.unwrap(HandOff.class);
    return new Schedules(
        publisher.unwrap(DelayStore.class),
        handOff::now,
        new OccurrenceRows(publisher.routes(), message -> handOff.prepare(message).row()));
  }

  /**
   * The schedules in a store, for a process without a broker. Messages of {@link #run} reach the
   * broker by a loader of another process.
   *
   * @param routes the routes of their messages
   */
  public static Schedules of(DelayStore store, DelayRoutes routes) {
    return new Schedules(store, store::now, rows(routes));
  }

  private static OccurrenceRows rows(DelayRoutes routes) {
    DelayPlanner planner = new DelayPlanner(routes, BrokerCapabilities.unknown(""));
    return new OccurrenceRows(
        routes,
        message -> {
          Submission row = planner.accept(message, Instant.EPOCH); // it names its instant
          planner.requireSendable(row);
          return RowCodec.of(row);
        });
  }

  /**
   * The schedules of a configuration, to be {@link #apply applied}: its section {@code
   * pocketwatch.schedules}, by name. A {@code file} is read now, from the working directory.
   *
   * @throws InvalidConfigurationException naming the source, the key and what is allowed; also if a
   *     route is missing or unsuitable, or a message could never be sent
   */
  public static List<Schedule> read(DelayRoutes routes) {
    YamlNode section = routes.schedules();
    return section == null ? List.of() : section.all(all -> read(all, routes));
  }

  /**
   * The schedules of a section, read together with others of its document.
   *
   * @see DelayRoutes#load(java.nio.file.Path, java.util.function.BiFunction)
   */
  public static List<Schedule> read(YamlNode section, DelayRoutes routes) {
    List<Schedule> schedules = new ArrayList<>();
    OccurrenceRows rows = rows(routes);
    section.each(
        (name, node) -> {
          Schedule schedule = ScheduleJson.read(node.check(() -> Schedule.named(name)), node, true);
          schedules.add(schedule);
          if (!node.isRouteRefused(schedule.route())) {
            check(schedule, node, rows);
          }
        });
    return schedules;
  }

  private static void check(Schedule schedule, YamlNode node, OccurrenceRows rows) {
    String problem = rows.problem(schedule);
    if (problem != null) {
      node.reportIf(true, "route", problem);
      return;
    }
    try {
      requireSendable(schedule, rows, EARLIEST);
      requireOccurrence(schedule, EARLIEST);
    } catch (InvalidMessageException | ImpossibleScheduleException e) {
      node.report(ErrorWords.of(e));
    }
  }

  /** All schedules by name, without bodies and headers; {@link #find} has these. */
  public List<ScheduleView> list() {
    return stored().stream().map(Schedules::view).toList();
  }

  /** How many schedules there are. */
  public long count() {
    return store.scheduleTotals().count();
  }

  List<StoredSchedule> stored() {
    return store.schedules();
  }

  /** The schedule of that name. */
  public Optional<ScheduleView> find(String name) {
    return store.schedule(name).map(Schedules::view);
  }

  /**
   * Puts a schedule in, or redefines the one of its name; the same definition changes nothing. The
   * definition applies from now on; occurrences due until now fire, or are missed, by the old one.
   * A message due within 10 s by the old one is taken back if it is still in the store. Otherwise
   * it arrives, and the definition applies from then on. Counts and pause are kept.
   *
   * @throws ImpossibleScheduleException if it has no occurrence left, or its route is unsuitable
   * @throws TooManySchedulesException if the store has 1,000 schedules already, or more than 64 MB
   *     of bodies and headers with this one. Several that are put in at once may exceed that
   * @throws InvalidMessageException if its message could never be sent
   * @throws OwnedByYamlException if a configuration file owns it
   */
  public ScheduleView put(Schedule schedule, @Nullable String actor) {
    return put(schedule, null, actor);
  }

  /**
   * As {@link #put(Schedule, String)}, unless it was redefined meanwhile.
   *
   * @param version which {@link StoredSchedule#version} is to be there, 0 for none; or null for any
   * @throws OtherVersionException if another one is there; nothing has changed then
   */
  public ScheduleView put(Schedule schedule, @Nullable Long version, @Nullable String actor) {
    requireSendable(schedule, rows, clock.instant());
    StoredSchedule old = store.schedule(schedule.name()).orElse(null);
    requireRoom(schedule.name(), old == null ? 1 : 0, growth(old, schedule));
    return changed(
        end(
            schedule.name(),
            found -> !same(found.schedule(), schedule),
            found -> {
              requireVersion(schedule.name(), found, version);
              return put(found, schedule, null, actor);
            }));
  }

  /**
   * Makes an owner's schedules those of its configuration. A schedule of the API, or of another
   * owner, with such a name becomes its own. Schedules of this owner that are gone from its
   * configuration are paused and shown as orphaned; they go on once they are back. If another
   * process has put in another definition, this one counts, and a warning names both.
   *
   * @param owner the configuration, such as an application's name; those of other owners stay as
   *     they are
   * @throws ImpossibleScheduleException as {@link #put}; nothing has been changed then
   * @throws TooManySchedulesException likewise
   * @throws InvalidMessageException likewise
   */
  public void apply(String owner, List<Schedule> ofYaml, @Nullable String actor) {
    Map<String, Schedule> wanted = new TreeMap<>();
    ofYaml.forEach(schedule -> wanted.put(schedule.name(), schedule));
    Map<String, String> replaced = new TreeMap<>();
    int more = 0;
    long bytes = 0;
    for (Schedule schedule : wanted.values()) {
      StoredSchedule old = store.schedule(schedule.name()).orElse(null);
      if (same(old, schedule)) {
        continue;
      }
      requireSendable(schedule, rows, clock.instant());
      requireOccurrence(schedule, clock.instant());
      more += old == null ? 1 : 0;
      bytes += growth(old, schedule);
      requireRoom(schedule.name(), more, bytes);
      if (old != null) {
        replaced.put(old.name(), words(old, schedule, actor));
      }
    }
    wanted.forEach(
        (name, schedule) -> {
          if (replaced.containsKey(name)) {
            LOG.warn("Schedule '{}': {}", name, replaced.get(name));
          }
          end(
              name,
              found -> !same(found.schedule(), schedule),
              found -> put(found, schedule, owner, actor));
        });
    for (StoredSchedule each : stored()) {
      if (isOwn(each, owner) && !wanted.containsKey(each.name())) {
        LOG.warn(
            "Schedule '{}' is paused: the configuration of '{}' does not have it, says {}; {} had"
                + " put it in. If two configurations go by this name, give one another:"
                + " server.name, or spring.application.name",
            each.name(),
            owner,
            actor,
            each.changedBy());
        end(
            each.name(),
            found -> isOwn(found.schedule(), owner),
            found -> orphan(found, owner, actor));
      }
    }
  }

  private static boolean isOwn(@Nullable StoredSchedule stored, String owner) {
    return stored != null && owner.equals(stored.owner()) && !stored.orphaned();
  }

  private static boolean same(@Nullable StoredSchedule stored, Schedule schedule) {
    return stored != null
        && stored.definition().equals(schedule.definition())
        && schedule.payload().equals(stored.payload());
  }

  private static String words(StoredSchedule old, Schedule schedule, @Nullable String actor) {
    return "the definition of %s takes the place of that of %s (%s): %s in place of %s"
        .formatted(
            actor,
            old.changedBy(),
            old.owner() == null ? "API" : old.owner(),
            fingerprint(schedule.definition() + schedule.payload()),
            fingerprint(old.definition() + old.payload()));
  }

  private static long growth(@Nullable StoredSchedule old, Schedule schedule) {
    return bytes(schedule.payload()) - (old == null ? 0 : bytes(old.payload()));
  }

  private static long bytes(@Nullable String payload) {
    return payload == null ? 0 : payload.getBytes(StandardCharsets.UTF_8).length;
  }

  private void requireRoom(String name, int more, long bytes) {
    if (more == 0 && bytes <= 0) {
      return;
    }
    ScheduleTotals totals = store.scheduleTotals();
    if (totals.count() + more > MOST_SCHEDULES) {
      throw new TooManySchedulesException(
          name,
          "the store has %s schedules; allowed: %s".formatted(totals.count(), MOST_SCHEDULES));
    }
    if (bytes > 0 && totals.bytes() + bytes > MOST_BYTES) {
      throw new TooManySchedulesException(
          name,
          "all bodies and headers would take %s bytes in the store; allowed: %s"
              .formatted(totals.bytes() + bytes, MOST_BYTES));
    }
  }

  private static String fingerprint(String definition) {
    return Integer.toHexString(definition.hashCode());
  }

  /**
   * Removes a schedule, and takes back its messages due within 10 s that are still in the store.
   * Occurrences due until now fire, and its other messages stay.
   *
   * @return whether it was there
   * @throws OwnedByYamlException if a configuration file has it
   */
  public boolean remove(String name, @Nullable String actor) {
    return remove(name, null, actor);
  }

  /**
   * As {@link #remove(String, String)}, unless it was redefined meanwhile.
   *
   * @param version which {@link StoredSchedule#version} is to be there; or null for any
   * @throws OtherVersionException if another one is there, or none; nothing has changed then
   */
  public boolean remove(String name, @Nullable Long version, @Nullable String actor) {
    AtomicBoolean found = new AtomicBoolean();
    end(
        name,
        locked -> locked.schedule() != null,
        locked -> {
          requireVersion(name, locked, version);
          StoredSchedule old = locked.schedule();
          found.set(old != null);
          if (old != null && old.owner() != null && !old.orphaned()) {
            throw new OwnedByYamlException(
                name, "remove it in the configuration of " + old.owner() + " first");
          }
          return ScheduleChange.none(null);
        });
    if (found.get()) {
      LOG.info("Schedule '{}' is removed by {}", name, actor);
    }
    return found.get();
  }

  /**
   * Pauses a schedule, and takes back its messages due within 10 s that are still in the store.
   * What was due until now fires, or is missed. A paused schedule gets this note and end.
   *
   * @param note why, up to 500 characters, or null
   * @param until when it resumes by itself, or null for never
   * @throws UnknownScheduleException if there is none of this name
   * @throws IllegalArgumentException if {@code until} is past, or the note too long
   */
  public ScheduleView pause(
      String name, @Nullable String note, @Nullable Instant until, @Nullable String actor) {
    return change(
        name,
        found -> true,
        (old, now) -> {
          if (until != null && !until.isAfter(now)) {
            throw new IllegalArgumentException("until is %s, and it is %s".formatted(until, now));
          }
          if (note != null && note.length() > 500) {
            throw new IllegalArgumentException(
                "the note has %s characters; allowed: at most 500".formatted(note.length()));
          }
          requireNotOrphaned(old);
          ScheduleDraft draft = new ScheduleDraft(old).by(actor, now);
          draft.pausedAt = old.pausedAt() == null ? now : old.pausedAt();
          draft.note = note;
          draft.pausedUntil = until;
          return ScheduleChange.none(draft.toStored());
        });
  }

  /**
   * Lets it fire again from now on. Occurrences in the pause neither fire nor count as missed.
   *
   * @throws UnknownScheduleException if there is none of this name
   * @throws OwnedByYamlException if it is gone from YAML
   */
  public ScheduleView resume(String name, @Nullable String actor) {
    return change(
        name,
        found -> require(name, found).pausedAt() != null,
        (old, now) -> {
          requireNotOrphaned(old);
          if (old.pausedAt() == null) {
            return ScheduleChange.none(old);
          }
          ScheduleDraft draft = new ScheduleDraft(old).by(actor, now);
          draft.unpause();
          draft.goOn(definition(old), now);
          return ScheduleChange.none(draft.toStored());
        });
  }

  /**
   * Sends its message now, paused or not. It is no occurrence: counts and the next instant stay.
   *
   * @param key makes a repeated call harmless, up to 90 ASCII characters; or null for a new one
   * @throws UnknownScheduleException if there is none of this name
   */
  public Run run(String name, @Nullable String key, @Nullable String actor) {
    String id = name + "@run-" + (key == null ? UUID.randomUUID() : key);
    ScheduleChanged changed =
        store.change(
            name,
            found -> {
              StoredSchedule old = require(name, found);
              Instant now = found.now();
              ScheduledMessage row = rows.row(definition(old), id, now, now);
              return new ScheduleChange(old, List.of(row));
            });
    boolean inserted = changed.inserted().get(0) == InsertOutcome.INSERTED;
    MessageKey row = changed.change().insert().get(0).key();
    LOG.info("Schedule '{}' is run by {}: {}, {}", name, actor, row, inserted ? "new" : "known");
    return new Run(row, inserted);
  }

  private StoredSchedule known(String name) {
    return store.schedule(name).orElseThrow(() -> new UnknownScheduleException(name));
  }

  /**
   * The next occurrences, and the rows of those that have fired or been run, the latest first.
   *
   * @param next how many to come, 0 to 1,000; those up to 10 s ahead may have a row already
   * @param past how many rows, 0 to 1,000
   * @throws UnknownScheduleException if there is none of this name
   */
  public Occurrences occurrences(String name, int next, int past) {
    StoredSchedule stored = known(name);
    Schedule schedule = definition(stored);
    Instant from = stored.nextAt();
    List<Occurrence> toCome =
        from == null || stored.problem() != null
            ? List.of()
            : schedule.recurrence().next(from.minusNanos(1), shown("next", next));
    if (shown("past", past) == 0) {
      return new Occurrences(toCome, List.of());
    }
    List<MessageMark> rows =
        Stream.of("@2", "@run-")
            .flatMap(kind -> store.withIdsFrom(schedule.route(), name + kind, past).stream())
            .sorted(Comparator.comparing(MessageMark::deliverAt).reversed())
            .limit(past)
            .toList();
    return new Occurrences(toCome, rows);
  }

  /**
   * The next occurrences of a schedule that need not be in the store.
   *
   * @param count 0 to 1,000
   * @throws ImpossibleScheduleException if it has none
   */
  public List<Occurrence> preview(Schedule schedule, int count) {
    Instant now = clock.instant();
    requireOccurrence(schedule, now);
    return schedule.recurrence().next(now, shown("count", count));
  }

  /** Now, on the store's clock. */
  public Instant now() {
    return clock.instant();
  }

  /** Fires what is due of at most {@code limit} schedules, and tells {@code done} what it did. */
  Fired fireDue(int limit, BiConsumer<FoundSchedule, ScheduleChange> done) {
    return store.fireDue(
        FiringRule.AHEAD,
        limit,
        found -> {
          ScheduleChange change = rule.fire(found);
          done.accept(found, change);
          return change;
        });
  }

  private ScheduleChange put(
      FoundSchedule found, Schedule schedule, @Nullable String owner, @Nullable String actor) {
    StoredSchedule old = found.schedule();
    Instant now = found.now();
    if (old != null && old.owner() != null && owner == null) {
      throw new OwnedByYamlException(
          schedule.name(),
          old.orphaned() ? "remove it first" : "change it in the configuration of " + old.owner());
    }
    boolean same = same(old, schedule);
    if (old != null && same && Objects.equals(old.owner(), owner) && !old.orphaned()) {
      return ScheduleChange.none(old);
    }
    ScheduleDraft draft =
        (old == null ? ScheduleDraft.fresh(schedule.name(), now) : new ScheduleDraft(old))
            .by(actor, now);
    draft.owner = owner;
    boolean back = draft.orphaned;
    draft.orphaned = false;
    if (back && GONE.equals(draft.note)) {
      draft.unpause();
    }
    if (!same) {
      requireOccurrence(schedule, now);
      draft.definition = schedule.definition();
      draft.payload = schedule.payload();
      draft.version++;
      if (draft.finished(schedule)) {
        throw new ImpossibleScheduleException(
            schedule.name(), "it has had its %s occurrences already".formatted(schedule.times()));
      }
    }
    if (!same || back) {
      draft.goOn(schedule, now);
    }
    return ScheduleChange.none(draft.toStored());
  }

  private static ScheduleChange orphan(FoundSchedule found, String owner, @Nullable String actor) {
    StoredSchedule old = found.schedule();
    if (old == null || !owner.equals(old.owner()) || old.orphaned()) {
      return ScheduleChange.none(old);
    }
    ScheduleDraft draft = new ScheduleDraft(old).by(actor, found.now());
    if (draft.pausedAt == null) {
      draft.pausedAt = found.now();
      draft.note = GONE;
    }
    draft.orphaned = true;
    draft.pausedUntil = null;
    return ScheduleChange.none(draft.toStored());
  }

  private ScheduleView change(
      String name,
      Predicate<FoundSchedule> ends,
      BiFunction<StoredSchedule, Instant, ScheduleChange> change) {
    return changed(
        end(
            name,
            found -> found.schedule() != null && ends.test(found),
            found -> change.apply(require(name, found), found.now())));
  }

  /**
   * Ends a stretch of firing, and applies a change, under one lock. Occurrences due until now fire
   * or are counted, and rows made ahead are taken back. If too many are overdue for one
   * transaction, others go before.
   *
   * @param ends whether the stretch ends; else there is but the change
   */
  private ScheduleChanged end(
      String name, Predicate<FoundSchedule> ends, Function<FoundSchedule, ScheduleChange> change) {
    AtomicBoolean more = new AtomicBoolean();
    while (true) {
      ScheduleChanged changed =
          store.change(
              name,
              found -> stretch(found, ends) ? ahead(found) : List.of(),
              found -> {
                more.set(false);
                if (!stretch(found, ends)) {
                  return change.apply(found);
                }
                Due due = rule.due(found);
                more.set(due.more());
                return due.more() ? due.change() : then(due, found, change);
              });
      if (!more.get()) {
        return changed;
      }
    }
  }

  private static boolean stretch(FoundSchedule found, Predicate<FoundSchedule> ends) {
    return found.schedule() != null && ends.test(found);
  }

  private List<MessageKey> ahead(FoundSchedule found) {
    Due due = rule.due(found);
    Schedule schedule = view(Objects.requireNonNull(found.schedule())).schedule();
    return due.more() || schedule == null
        ? List.of()
        : FiringRule.ahead(due.draft(), schedule, found.now());
  }

  private static ScheduleChange then(
      Due due, FoundSchedule found, Function<FoundSchedule, ScheduleChange> change) {
    Schedule schedule = view(Objects.requireNonNull(found.schedule())).schedule();
    if (schedule != null) {
      FiringRule.takeOff(due.draft(), schedule, found);
    }
    ScheduleChange then =
        change.apply(
            new FoundSchedule(
                due.draft().toStored(), found.now(), found.last(), found.withdrawn()));
    return new ScheduleChange(
        then.schedule(), Stream.concat(due.insert().stream(), then.insert().stream()).toList());
  }

  private static StoredSchedule require(String name, FoundSchedule found) {
    if (found.schedule() == null) {
      throw new UnknownScheduleException(name);
    }
    return found.schedule();
  }

  private static void requireVersion(String name, FoundSchedule found, @Nullable Long version) {
    long there = found.schedule() == null ? 0 : found.schedule().version();
    if (version != null && version != there) {
      throw new OtherVersionException(name, version, there);
    }
  }

  private static void requireNotOrphaned(StoredSchedule stored) {
    if (stored.orphaned()) {
      throw new OwnedByYamlException(
          stored.name(), "it is gone from YAML; put it back there, or remove it here");
    }
  }

  /** Refuses a message that could never be sent at once, not at its first occurrence only. */
  private static void requireSendable(Schedule schedule, OccurrenceRows rows, Instant at) {
    Instant second = at.truncatedTo(ChronoUnit.SECONDS);
    rows.row(schedule, schedule.id(second), second, second);
  }

  private static void requireOccurrence(Schedule schedule, Instant now) {
    try {
      if (!schedule.recurrence().next(now, LOOKED_AT).isEmpty()) {
        return;
      }
    } catch (IllegalArgumentException e) {
      throw new ImpossibleScheduleException(schedule.name(), ErrorWords.of(e));
    }
    throw new ImpossibleScheduleException(
        schedule.name(),
        schedule.ends() == null
            ? "it has no occurrence before 2100"
            : "it ends at %s in %s, and has no occurrence until then"
                .formatted(schedule.ends(), schedule.zone()));
  }

  private static int shown(String what, int count) {
    if (count < 0 || count > MOST_SHOWN) {
      throw new IllegalArgumentException(
          "%s is %s; allowed: 0 to %s".formatted(what, count, MOST_SHOWN));
    }
    return count;
  }

  static Schedule definition(StoredSchedule stored) {
    return ScheduleJson.readStored(stored.name(), stored.definition(), stored.payload());
  }

  private static ScheduleView changed(ScheduleChanged changed) {
    StoredSchedule stored = changed.change().schedule();
    if (stored == null) {
      throw new IllegalStateException("the schedule was deleted");
    }
    return view(stored);
  }

  static ScheduleView view(StoredSchedule stored) {
    try {
      return new ScheduleView(stored, definition(stored), stored.problem());
    } catch (IllegalArgumentException | InvalidConfigurationException e) {
      return new ScheduleView(stored, null, ErrorWords.of(e));
    }
  }

  /**
   * The message that {@link #run} has sent.
   *
   * @param key the key of its row
   * @param inserted false if an earlier call with this key has sent it already
   */
  public record Run(MessageKey key, boolean inserted) {}

  /**
   * The occurrences around now.
   *
   * @param next occurrences to come, the earliest first
   * @param past rows of the past, the latest first
   */
  public record Occurrences(List<Occurrence> next, List<MessageMark> past) {
    public Occurrences {
      next = List.copyOf(next);
      past = List.copyOf(past);
    }
  }
}
