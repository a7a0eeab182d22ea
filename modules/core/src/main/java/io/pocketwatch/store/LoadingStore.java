// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What those who move rows to the broker need: claim, mark, recover, tidy up. */
public interface LoadingStore {
  /** Claims rows: sets owner and lease, adds one to the fence. */
  List<Claim> claim(ClaimRequest request);

  /**
   * Claims that row, if it is claimable and due up to the horizon: for whoever has just moved it.
   *
   * @return empty if it is not, or somebody else was first
   */
  Optional<Claim> claim(MessageKey key, Instant horizon, Lease lease);

  /** Routes that have claimable rows due up to the horizon. */
  List<String> routesDue(Instant horizon);

  /**
   * {@code PENDING} to {@code HELD}, where owner, fence and generation are still the claim's.
   *
   * @return per mark, in order, whether it applied
   */
  List<Boolean> markHeld(List<HeldMark> marks);

  /** Deletes confirmed rows that nobody tracks, on the conditions of {@link #markHeld}. */
  List<Boolean> forget(List<Claim> claims);

  /**
   * What was claimed was sent, and nobody knows whether the broker has it, on the same conditions;
   * the claims last. Where copies are delivered unchecked, such a message can no longer be
   * cancelled or moved.
   */
  int mayBeHeld(Collection<Claim> claims);

  /**
   * Gives claims back that the broker has not taken, as far as nobody has claimed them since;
   * anyone may claim them at once. Also those that a consumer failed meanwhile, whose copy did
   * arrive: of a message with more consumers than one, the others have none yet.
   */
  int giveBack(Collection<Claim> claims);

  /**
   * Gives a claim back after a failure of its own, as {@link #giveBack}: one attempt more,
   * claimable after the pause.
   */
  boolean postpone(Claim claim, Duration pause, String reason);

  /** {@code PENDING} to {@code PARKED}, on the same conditions. */
  boolean park(Claim claim, String reason);

  /** The broker-disk epoch all processes agree on, if there is one yet. */
  Optional<String> epoch();

  /**
   * Replaces the epoch everyone agrees on.
   *
   * @param expected what it is now, empty for none
   * @return false if someone else was first
   */
  boolean replaceEpoch(Optional<String> expected, String epoch);

  /** An epoch other than the current one that {@code HELD} rows still carry, if there is one. */
  Optional<String> lostEpoch(String current);

  /**
   * The broker's disk of that epoch is gone: up to {@code limit} {@code HELD} rows of it go back to
   * {@code PENDING}, earliest first, their generation unchanged. Also those whose handling was
   * begun: the copies of other consumers, and this one's if its handler dies, went with the disk;
   * the guard skips what was settled.
   */
  int returnHeldOf(String epoch, int limit);

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
   * first: due before {@code dueBefore}, last held before {@code heldBefore}, tracked {@code FULL},
   * and without any handling.
   */
  int returnOverdue(String route, Instant dueBefore, Instant heldBefore, int limit);

  /**
   * By route, how many messages a consumer has begun and nobody is at work on: {@code HELD} and
   * {@code FULL}, due and last held before that instant, with handlings of which none has a lease
   * that runs. Whether they come again is not known, so nothing sends them again by itself.
   */
  Map<String, Long> unended(Instant dueBefore);

  /**
   * Moves finished rows to the history, and deletes from the history what has been there for long
   * enough, ten times the limit at most; see {@link Retention}.
   *
   * @return how many were moved
   */
  int moveToHistory(Retention retention, int limit);

  void heartbeat(LoaderHeartbeat heartbeat);

  /** The last heartbeat of each loader of the last day. */
  List<LoaderHeartbeat> heartbeats();

  /** What was due on a day, per route; live rows and history together. */
  List<DayBooks> books(Instant from, Instant until);
}
