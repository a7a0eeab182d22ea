// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOffResult;
import java.util.List;

/** What is done about each message of a batch. */
interface ResultHandler {
  /** Marked already, as far as they were still ours. */
  void confirmed(List<HandOffResult> results);

  /** Sent, and not answered, or refused by some queue: the broker may have them. More follows. */
  void uncertain(List<Claim> claims);

  /** Never to be tried again. */
  void park(Claim claim, String reason);

  /**
   * Its own fault, it seems, but it failed in another way each time. It waits longer and longer,
   * and is parked in the end, but for {@code tracking: full}.
   */
  void unproved(Claim claim, String reason);

  /**
   * A queue of its target's refused it, and others may have it. The message waits longer and
   * longer. At the head of its route it would be in the way of all others. Each try is one more
   * copy in the queues that take it. In the end it is parked, except with {@code tracking: full},
   * where the guard skips those copies.
   */
  void refused(Claim claim, String reason);

  /** Nobody knows what is wrong with it. It waits once, and is parked the second time. */
  void unforeseen(Claim claim, String reason);

  /**
   * Its hold queue did not take it, as others do. It waits longer and longer, and for ever: the
   * queue has room again some day, or its node is back.
   */
  void notHeld(Claim claim, String reason);

  /** It waits longer and longer, and is parked in the end. */
  void targetMissing(Claim claim, String reason);

  /** Not taken: the route goes on later. */
  void giveBack(List<Claim> claims, String reason);

  /** The broker is away: the whole run goes on later. */
  void away(List<Claim> claims, String reason);
}
