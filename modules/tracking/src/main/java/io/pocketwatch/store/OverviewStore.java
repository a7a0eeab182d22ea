// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.store.LoadingStore.ConsumerProgress;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The store's part for operators: searches, lists and counts. It covers the present rows; only
 * {@link #rollups} also covers deleted ones.
 */
public interface OverviewStore {
  /** As {@link SchedulingStore#list}, but bodies and headers are left in the database. */
  List<MessageSummary> summaries(MessageQuery query);

  /** As {@link SchedulingStore#find}, but body and headers are left in the database. */
  Optional<MessageSummary> summary(MessageKey key);

  /**
   * Searches ids, and then business keys, for a part of them, ignoring case. One call reads some
   * thousand entries of an index.
   *
   * @param route only ids of this route; null for all. Business keys are searched on all
   * @param after the {@link Found#next} of the call before; null to begin
   * @param limit at most so many, 1 to 1,000
   */
  Found search(String part, @Nullable String route, @Nullable SearchPlace after, int limit);

  /**
   * How far a search has come.
   *
   * @param route of the id it has come to; null if it is at the business keys
   * @param text that id, or that business key
   */
  record SearchPlace(@Nullable String route, String text) {}

  /**
   * What a part of a search has found.
   *
   * @param ids whose id has the part
   * @param businessKeys those that have it
   * @param next where to go on; null at the end
   */
  record Found(List<MessageKey> ids, List<String> businessKeys, @Nullable SearchPlace next) {
    public Found {
      ids = List.copyOf(ids);
      businessKeys = List.copyOf(businessKeys);
    }
  }

  /** How many messages are in each state, by route; what there is none of is left out. */
  Map<String, Map<MessageState, Long>> countsByState();

  /**
   * How many {@code PENDING} and {@code HELD} messages come due in each step of a time range.
   *
   * @param step at least 1 ms; the range is at most 10,000 of them
   * @return by route and then by step, those with none left out
   */
  List<DueCount> dueCounts(Instant from, Instant until, Duration step);

  /**
   * What is {@linkplain StoredMessage#overdue overdue} now, by route; what there is none of is left
   * out.
   */
  List<OverdueCount> overdueCounts();

  /**
   * The oldest transaction or snapshot that is open, of any program or replica: it keeps the
   * database from removing dead rows.
   *
   * @return a name for it, the same for as long as it is the oldest. It is null if there is none,
   *     or if this database or user cannot tell
   */
  @Nullable String oldestSnapshot();

  /**
   * The changes that the database had confirmed to this store and has lost, as this process last
   * found out. Does not ask the database.
   *
   * @return null if it found nothing, or if this database cannot tell
   */
  @Nullable LostChanges lostChanges();

  /**
   * {@code PARKED} and {@code FAILED} messages by route, state and reason, the most frequent first.
   *
   * @param limit at most so many, 1 to 1,000
   */
  List<ReasonCount> reasons(int limit);

  /** How far each consumer of a route has come that has settled something of it, by name. */
  List<ConsumerProgress> progress(String route);

  /** What happened in a time range, whichever process did it. */
  Activity activity(Instant from, Instant until);

  /**
   * What loaders have counted, of 30 d at most; see {@link LoadingStore#rollUp}.
   *
   * @param from a multiple of {@link Rollup#PERIOD} since the epoch
   * @param step how long one is, a multiple of {@link Rollup#PERIOD}
   * @param routes of these only; empty for all
   */
  Rollups rollups(Instant from, Instant until, Duration step, Set<String> routes);

  /** Notes a change by hand, with the store's time and number. The latest 10,000 are kept. */
  void note(ChangeNote change);

  /**
   * Changes by hand, the latest first.
   *
   * @param before only those with a smaller number; null for all
   * @param limit at most so many, 1 to 1,000
   */
  List<ChangeNote> notes(@Nullable Long before, int limit);

  /**
   * A change by hand, of one message or of many.
   *
   * @param number rises with each
   * @param at when
   * @param by who did it
   * @param what they did, in a word
   * @param route on which route; null if on several, or none
   * @param subject which message, schedule or queue, or those of which filter; cut after 500
   *     characters
   * @param done how many were changed
   * @param refused how many could not be
   */
  record ChangeNote(
      long number,
      Instant at,
      String by,
      String what,
      @Nullable String route,
      @Nullable String subject,
      long done,
      long refused) {
    /** One that is to be noted. */
    public ChangeNote(
        String by,
        String what,
        @Nullable String route,
        @Nullable String subject,
        long done,
        long refused) {
      this(0, Instant.EPOCH, by, what, route, subject, done, refused);
    }
  }

  /** What a message has gone through; empty if there is no row. It reads that row. */
  Optional<Life> life(MessageKey key);

  /**
   * What {@link StoredMessage} does not say of a message's past.
   *
   * @param firstDeliverAt the instant it was scheduled for at first
   * @param handling the last one; null if there was none, or if it was sent again since
   * @param changes by hand, in their order: the latest 20
   */
  record Life(Instant firstDeliverAt, @Nullable Handled handling, List<Changed> changes) {
    public Life {
      changes = List.copyOf(changes);
    }
  }

  /**
   * A consumer's last handling of a message.
   *
   * @param consumer its queue, unless the guard was given another name
   * @param begunAt when it began
   * @param settledAt when it settled the message, or null
   */
  record Handled(String consumer, Instant begunAt, @Nullable Instant settledAt) {}

  /**
   * A change by hand.
   *
   * @param kind what was done
   * @param at when, on the store's clock
   * @param deliverAt the instant since then; null where it stayed
   * @param by who did it, as they were named; null if nobody was
   */
  record Changed(Kind kind, Instant at, @Nullable Instant deliverAt, @Nullable String by) {
    /** What was done. */
    public enum Kind {
      /** Cancelled. */
      CANCELLED,
      /** Given another instant. */
      RESCHEDULED,
      /** Given another try. */
      RETRIED
    }
  }

  /**
   * What a store saw in a time range.
   *
   * @param scheduled rows made in it that are still there
   * @param due messages whose instant lies in it, the cancelled ones left out
   * @param latenessMillis how long after its instant its consumer began, and how often; below zero
   *     is early. It counts the messages that were settled in the range. Beyond 10 s it is rounded
   *     down, by 1 % at most up to a day, and to the hour from there
   */
  record Activity(long scheduled, long due, SortedMap<Long, Long> latenessMillis) {
    public Activity {
      latenessMillis = Collections.unmodifiableSortedMap(new TreeMap<>(latenessMillis));
    }

    /** How many were settled. */
    public long settled() {
      return latenessMillis.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /**
   * What loaders have counted of a time range.
   *
   * @param end what happened before is counted
   * @param steps those in which something happened, in their order
   */
  record Rollups(Instant end, List<Rollup> steps) {
    public Rollups {
      steps = List.copyOf(steps);
    }
  }

  /**
   * What happened to messages in one step of a time range.
   *
   * @param step which one, from 0
   * @param scheduled fully tracked ones that were stored
   * @param settled those that were settled
   * @param cancelled those that were cancelled
   * @param failed how often a consumer failed one; a message that is sent again may fail again
   * @param lateness of those that were settled
   */
  record Rollup(
      int step, long scheduled, long settled, long cancelled, long failed, Lateness lateness) {
    /** The shortest step. */
    public static final Duration PERIOD = Duration.ofMinutes(15);

    /** For how long what was counted is kept. */
    public static final Duration KEPT = Duration.ofDays(30);

    /** Both together, as the step of this one. */
    public Rollup plus(Rollup other) {
      return new Rollup(
          step,
          scheduled + other.scheduled,
          settled + other.settled,
          cancelled + other.cancelled,
          failed + other.failed,
          lateness.plus(other.lateness));
    }
  }

  /**
   * How late consumers began what they settled, as a histogram.
   *
   * @param counts how often it was at most each of {@link #BOUNDS} and more than the one before.
   *     The last one says how often it was more than all of them
   */
  record Lateness(List<Long> counts) {
    /** From 1 ms to a day; what was early is in the first. */
    public static final List<Duration> BOUNDS =
        LongStream.of(
                1,
                2,
                5,
                10,
                20,
                50,
                100,
                200,
                500,
                1_000,
                2_000,
                5_000,
                10_000,
                30_000,
                60_000,
                300_000,
                900_000,
                3_600_000,
                21_600_000,
                86_400_000)
            .mapToObj(Duration::ofMillis)
            .toList();

    /** Of nothing. */
    public static final Lateness NONE = new Lateness(Collections.nCopies(BOUNDS.size() + 1, 0L));

    public Lateness {
      counts = List.copyOf(counts);
    }

    /** Both together. */
    public Lateness plus(Lateness other) {
      return new Lateness(
          IntStream.range(0, counts.size())
              .mapToObj(i -> counts.get(i) + other.counts.get(i))
              .toList());
    }

    /**
     * The two of {@link #BOUNDS} between which a percentile lies. A histogram does not know it more
     * exactly.
     *
     * @param share of the settled messages that were not later, 0 to 1
     * @return empty if none was settled
     */
    public Optional<Between> percentile(double share) {
      long all = counts.stream().mapToLong(Long::longValue).sum();
      if (all == 0) {
        return Optional.empty();
      }
      double wanted = all * share;
      long seen = 0;
      for (int i = 0; i < BOUNDS.size(); i++) {
        long here = counts.get(i);
        seen += here;
        if (here > 0 && seen >= wanted) {
          return Optional.of(new Between(i == 0 ? null : BOUNDS.get(i - 1), BOUNDS.get(i)));
        }
      }
      return Optional.of(new Between(BOUNDS.get(BOUNDS.size() - 1), null));
    }

    /**
     * The bounds of a value.
     *
     * @param moreThan null below the first bound
     * @param atMost null beyond the last bound
     */
    public record Between(@Nullable Duration moreThan, @Nullable Duration atMost) {}
  }

  /**
   * Messages of a route that come due in one step of a time range.
   *
   * @param route the route
   * @param step which one, from 0
   * @param count how many
   */
  record DueCount(String route, int step, long count) {}

  /**
   * The overdue messages of a route, by {@linkplain Phase#overdue phase}. A deferred message is
   * {@code RETRYING} here until its next try is overdue, too. The {@code oldest} of {@code SENT}
   * and {@code BEING_HANDLED} counts from when a message was last to be sent, not from its instant.
   *
   * @param route the route
   * @param phases those that there are none in may be left out
   */
  record OverdueCount(String route, Map<Phase, Part> phases) {
    public OverdueCount {
      phases = Map.copyOf(phases);
    }

    /** Those in one phase. */
    public Part in(Phase phase) {
      return phases.getOrDefault(phase, Part.NONE);
    }

    /** All of them. */
    public Part all() {
      return late().plus(in(Phase.RETRYING));
    }

    /** All that are not deferred: all but {@code RETRYING}. */
    public Part late() {
      return in(Phase.DUE).plus(in(Phase.SENT)).plus(in(Phase.BEING_HANDLED));
    }

    /**
     * Some of them.
     *
     * @param count how many
     * @param oldest the first of their instants; null if there is none
     */
    public record Part(long count, @Nullable Instant oldest) {
      /** Nothing. */
      public static final Part NONE = new Part(0, null);

      /** Both together. */
      public Part plus(Part other) {
        Instant theirs = other.oldest;
        boolean earlier = theirs != null && (oldest == null || theirs.isBefore(oldest));
        return new Part(count + other.count, earlier ? theirs : oldest);
      }

      /** How long the first of them has waited; zero if there is none. */
      public Duration age(Instant now) {
        return oldest == null ? Duration.ZERO : Duration.between(oldest, now);
      }
    }
  }

  /**
   * Messages that were given up, or failed, for the same reason.
   *
   * @param route the route
   * @param state {@code PARKED} or {@code FAILED}
   * @param reason as stored
   * @param count how many
   * @param earliest the first of their instants
   * @param latest the last of them
   */
  record ReasonCount(
      String route,
      MessageState state,
      @Nullable String reason,
      long count,
      Instant earliest,
      Instant latest) {}

  /**
   * A stored message without its body and headers, each of which may be large.
   *
   * @param stored the message, with an empty body and no properties
   * @param bodyBytes how large the body is
   * @param propertiesBytes how large the properties are, with the headers
   * @param claimedUntil until when somebody may be sending it; the epoch if nobody is
   * @param handler who is handling it, or null
   */
  record MessageSummary(
      StoredMessage stored,
      int bodyBytes,
      int propertiesBytes,
      Instant claimedUntil,
      @Nullable Handler handler) {}

  /**
   * A consumer that has begun a message, and not ended it.
   *
   * @param consumer its queue, unless the guard was given another name
   * @param begunAt when it began
   */
  record Handler(String consumer, Instant begunAt) {}

  /**
   * Changes that were confirmed and are gone: the database was restored, or a stand-by took over
   * that was behind.
   *
   * @param after when the last change was made that is still there; null if that is not known
   * @param until when the latest known one was made that is gone, on the database's clock
   */
  record LostChanges(@Nullable Instant after, Instant until) {}
}
