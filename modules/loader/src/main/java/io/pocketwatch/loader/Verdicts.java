// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOverResult;
import java.util.List;

/** What is done about each message of a batch. */
interface Verdicts {
  /** Marked already, as far as they were still ours. */
  void confirmed(List<HandOverResult> results);

  /** Sent, and not answered, or refused by some queue: the broker may have them. More follows. */
  void uncertain(List<Claim> claims);

  /** Never to be tried again. */
  void park(Claim claim, String reason);

  /**
   * Its own fault, it seems, but it failed in another way each time; or a queue of its target's
   * refused it. It waits longer and longer, and not for ever.
   */
  void unproved(Claim claim, String reason);

  void targetMissing(Claim claim, String reason);

  /** Refused: the route goes on later. */
  void giveBack(List<Claim> claims, String reason);

  /** The broker is away: the whole run goes on later. */
  void away(List<Claim> claims, String reason);
}
