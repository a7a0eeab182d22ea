// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.SettlingStore.Ended;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The store's part for loaders: claims rows, ends claims, recovers and deletes rows. */
public interface LoadingStore {
  /**
   * Claims rows: sets holder and lease, adds one to the fence. A row that a consumer has begun and
   * not ended is claimable when its lease is over; see {@link Claim#abandoned}.
   */
  List<Claim> claim(ClaimRequest request);

  /**
   * Claims one row that was just rescheduled or retried, if it is claimable and to be sent up to
   * the horizon.
   *
   * @return empty if it is not, or if another claim was first
   */
  Optional<Claim> claim(MessageKey key, Instant horizon, Lease lease);

  /**
   * Routes that have claimable rows due up to the horizon.
   *
   * <p>With null this is a look in full. It may read all dead rows of the database, for seconds
   * while an old transaction stays open. Any other look, and a claim of a route, may miss some rows
   * until the next look in full. These were inserted with an instant some seconds in the past, were
   * returned by {@link #returnOverdue}, or were begun by a consumer that died. So look in full each
   * minute. Two minutes after the last one, the next look at a route is in full.
   *
   * @param among the routes to look at, some thousand at most; null for all that have rows
   */
  List<String> routesDue(Instant horizon, @Nullable Set<String> among);

  /**
   * Ends claims, all in one transaction. A claim ends if holder, fence and generation are still its
   * own, and the row is {@code PENDING}. A row that a consumer has begun is its consumer's. A row
   * locked by its handler, or by another publish call with its id, is skipped and answered as
   * locked.
   *
   * @return the results, in order
   */
  List<Ended> conclude(List<Conclusion> conclusions);

  /**
   * The evidence per route and consumer: what is overdue, and what was settled although it was due
   * later.
   *
   * @param dueBefore rows due before this count as overdue, and as held again lately if they were
   *     held again after it
   */
  List<Overdue> overdue(Instant dueBefore);

  /**
   * Up to {@code limit} overdue {@code HELD} rows of a route go back to {@code PENDING}, earliest
   * first. They were due before {@code dueBefore}, last held before {@code heldBefore}, and are
   * tracked {@code FULL}.
   */
  int returnOverdue(String route, Instant dueBefore, Instant heldBefore, int limit);

  /**
   * Deletes finished rows whose retention is over, the earliest first. Their ids are unknown from
   * then on.
   *
   * @param limit at most so many, 1 to 100,000
   * @return how many it deleted
   */
  int deleteFinished(Retention retention, int limit);

  /**
   * Counts what happened in the first minute that is not counted yet, if it ends by that instant.
   * Each minute counts once, also with several callers. Rows deleted by then are not counted, nor
   * changes committed later.
   *
   * @return up to when everything is counted
   */
  Instant rollUp(Instant until);

  /** The broker to which this store's messages go; empty until one was noted. */
  Optional<BrokerIdentity> broker();

  /**
   * Notes to which broker this store's messages go, unless that is known.
   *
   * @param there the broker that somebody has connected to
   * @return the one that is noted now
   */
  BrokerIdentity noteBroker(BrokerIdentity there);

  /** Makes this store's messages go to that broker, and to no other. */
  void adoptBroker(BrokerIdentity there);

  void heartbeat(LoaderHeartbeat heartbeat);

  /** The last heartbeat of each loader of the last day: the latest 1,000, by owner. */
  List<LoaderHeartbeat> heartbeats();

  /**
   * Which rows to claim: {@code PENDING}, of one route, due up to the horizon, not leased, earliest
   * first. However long ago they were due: whatever an outage left behind comes first. See {@link
   * #routesDue} for what may be left out.
   *
   * @param route the route's name
   * @param horizon rows due later stay
   * @param maxRows at most so many, 1 to 10,000
   * @param maxBytes stop before bodies and properties exceed this; a single larger row is still
   *     claimed
   * @param lease for whom and how long
   */
  record ClaimRequest(String route, Instant horizon, int maxRows, long maxBytes, Lease lease) {}

  /**
   * How far a consumer of a route has come. The store may know it a batch late, and never early.
   *
   * @param consumer its name: that of its queue, if it gave no other
   * @param lastSettledAt when it last settled something of the route
   * @param settledDueUpTo the latest {@code deliverAt} of what it settled
   */
  record ConsumerProgress(String consumer, Instant lastSettledAt, Instant settledDueUpTo) {}

  /**
   * The overdue rows of a route, and what that route's consumers have done.
   *
   * @param route the route
   * @param count {@code HELD} and {@code FULL} rows past their instant that were not held again
   *     lately
   * @param notBegun the same, with those that were held again lately
   * @param oldest the earliest instant of those counted first
   * @param consumers each that has settled something of the route, by name. One that is gone stays
   *     here for as long as finished messages are kept
   */
  record Overdue(
      String route, long count, long notBegun, Instant oldest, List<ConsumerProgress> consumers) {
    /** Keeps a copy of the list. */
    public Overdue {
      consumers = List.copyOf(consumers);
    }
  }

  /**
   * When a finished row may be deleted. It must have been finished for {@code keep}. The instant
   * until which a copy may be held must be past by the longer of {@code keep} and {@code grace}.
   * {@code HANDOFF} rows are finished when they are due and past the grace.
   *
   * @param keep how long finished rows stay, as tombstones that recognise copies which come late,
   *     for example out of a backlog
   * @param grace how much later than planned a copy may arrive
   */
  record Retention(Duration keep, Duration grace) {}

  /**
   * A heartbeat of a loader. Instants are on the database's clock, to the millisecond.
   *
   * @param owner the loader
   * @param at when it was written, by the database's clock; ignored on writing
   * @param horizon how far it has loaded
   * @param loaded how many messages it has handed off since it started
   * @param lastRun when a run or sweep of it last ended; null if none has
   * @param lease how long a message it has claimed is its own, to the millisecond. It is null if
   *     the loader did not say
   */
  record LoaderHeartbeat(
      String owner,
      Instant at,
      Instant horizon,
      long loaded,
      @Nullable Instant lastRun,
      @Nullable Duration lease) {}
}
