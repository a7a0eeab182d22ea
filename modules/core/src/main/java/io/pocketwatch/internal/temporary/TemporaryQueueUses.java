// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.temporary;

import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.internal.amqp.NothingSentException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What this process knows of each temporary queue it has declared. Thread-safe. */
final class TemporaryQueueUses {
  enum Use {
    /** Being declared, or its message is on the way to it. */
    SENDING,
    /** Its message is in it. */
    HELD,
    /** Somebody else sends its message to it, and hears the answer. */
    HANDED_OUT,
    /** No answer came: its message may be in it. */
    UNSURE,
    /** The broker was late or did not answer: it may not be there. Nothing was sent to it. */
    UNANSWERED,
    /** Nothing was sent to it. */
    VACANT,
    /** Being removed. */
    LEAVING
  }

  private static final Set<Use> NOT_OVER = EnumSet.of(Use.SENDING, Use.UNANSWERED, Use.LEAVING);

  private final Map<String, Use> uses = new HashMap<>();
  private final int max;

  /**
   * @param max how many there may be
   */
  TemporaryQueueUses(int max) {
    this.max = max;
  }

  /**
   * Before it is declared.
   *
   * @param replacing whether a copy of the message that it holds makes way
   * @return whether an attempt before this one, may have left it
   * @throws NothingSentException if there are as many as there may be, or that attempt is not over
   * @throws InvalidMessageException if it holds its message and is not replaced
   */
  synchronized boolean reserve(String id, String queue, boolean replacing) {
    @Nullable Use use = uses.get(queue);
    if ((use == Use.HELD || use == Use.HANDED_OUT) && !replacing) {
      throw new InvalidMessageException(id, "a message with this id is held already");
    }
    if (use != null && NOT_OVER.contains(use)) {
      throw new NothingSentException(
          "an earlier attempt with its temporary queue is not over; nothing was sent");
    }
    if (use == null && uses.size() >= max) {
      throw new NothingSentException(
          Cause.NO_ROOM, max + " temporary queues are in use, the limit (temporary-queues.max)");
    }
    uses.put(queue, Use.SENDING);
    return use != null;
  }

  synchronized boolean is(String queue, Use use) {
    return uses.get(queue) == use;
  }

  synchronized void set(String queue, Use use) {
    uses.put(queue, use);
  }

  /** False if it is another by now: its message may have been sent again. */
  synchronized boolean replace(String queue, Use before, Use next) {
    return uses.replace(queue, before, next);
  }

  synchronized void forget(String queue) {
    uses.remove(queue);
  }
}
