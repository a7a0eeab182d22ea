// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What people want to see of a store as a whole. It is about live rows; the history is not counted.
 */
public interface OverviewStore {
  /** As {@link SchedulingStore#list}, but payloads are left in the database. */
  List<MessageSummary> summaries(MessageQuery query);

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
   * {@code PARKED} and {@code FAILED} messages by route, state and reason, the most frequent first.
   *
   * @param limit at most so many, 1 to 1,000
   */
  List<ReasonCount> reasons(int limit);

  /** What happened in a time range, whichever process did it. */
  Activity activity(Instant from, Instant until);

  /**
   * What a message has gone through; empty if there is no row. It reads that row and its handlings.
   */
  Optional<Life> life(MessageKey key);

  /**
   * What {@link StoredMessage} does not say of a message's past.
   *
   * @param firstDeliverAt the instant it was scheduled for at first
   * @param handlings of each consumer the last one, in the order in which they began
   * @param changes by hand, in their order: the latest 20
   */
  record Life(Instant firstDeliverAt, List<Handled> handlings, List<Changed> changes) {
    public Life {
      handlings = List.copyOf(handlings);
      changes = List.copyOf(changes);
    }
  }

  /**
   * A consumer's last handling of a message.
   *
   * @param consumer its queue, unless the guard was given another name
   * @param generation of the copy that it had; 0 if it gave that back
   * @param begunAt when it began
   * @param settledAt when it settled the message, or null
   */
  record Handled(String consumer, int generation, Instant begunAt, @Nullable Instant settledAt) {}

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
      /** Moved to another instant. */
      MOVED,
      /** Given another try. */
      RELEASED
    }
  }

  /**
   * What a store saw in a time range.
   *
   * @param scheduled rows made in it that are still there
   * @param due messages whose instant lies in it, the cancelled ones left out
   * @param latenessMillis how long after its instant each consumer began, and how often; below zero
   *     is early. It counts the messages that all expected consumers had settled in the range
   */
  record Activity(long scheduled, long due, SortedMap<Long, Long> latenessMillis) {
    public Activity {
      latenessMillis = Collections.unmodifiableSortedMap(new TreeMap<>(latenessMillis));
    }

    /** How many settlements there were: one per message and consumer. */
    public long settled() {
      return latenessMillis.values().stream().mapToLong(Long::longValue).sum();
    }
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
   * A stored message without its payload.
   *
   * @param stored the message, with an empty body
   * @param bodyBytes how large the body is
   */
  record MessageSummary(StoredMessage stored, int bodyBytes) {}
}
