// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.util.Map;

/**
 * What became of the messages of a round.
 *
 * @param messages how many there were
 * @param confirmed of which the store said that it has them
 * @param handled of which there is an effect
 * @param lost confirmed, and without an effect
 * @param early handled before their instant, by the database's clock
 * @param duplicateDeliveries arrivals of messages that had arrived before
 * @param duplicateEffects second effects that only the unique key stopped
 * @param worstLatenessMs from the instant to the handler, by the database's clock
 * @param uncertain answers "uncertain"; each was followed by another attempt
 * @param rejected answers "rejected"; each was followed by another attempt
 * @param heldAgain copies put back on hold, early or because another consumer had begun
 * @param unknown copies that the store did not know
 * @param deadLettered copies in the dead-letter queue
 * @param restartedThemselves processes that ended without being killed, for lack of a broker or
 *     store
 * @param kills what was killed, how often
 */
record RoundResult(
    int messages,
    int confirmed,
    int handled,
    int lost,
    int early,
    int duplicateDeliveries,
    int duplicateEffects,
    long worstLatenessMs,
    int uncertain,
    int rejected,
    int heldAgain,
    int unknown,
    int deadLettered,
    int restartedThemselves,
    Map<FaultKind, Integer> kills) {

  /** Whether every message was taken, and handled once and not early. */
  boolean sound() {
    return confirmed == messages
        && lost == 0
        && early == 0
        && duplicateEffects == 0
        && unknown == 0
        && deadLettered == 0;
  }
}
