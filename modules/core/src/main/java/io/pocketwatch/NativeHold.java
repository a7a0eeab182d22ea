// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether messages are held by their delivery time, on one connection.
 *
 * @param state what is known
 * @param description why the delivery time is not used, as a part of a sentence; where it is used, how
 *     that was found
 * @param ahead by how much the leader's clock is ahead of ours, negative if it is behind. Of
 *     several leaders it is the one that is off the most. It is exact to the time a message takes,
 *     and null where no probe has shown it
 */
public record NativeHold(State state, String description, @Nullable Duration ahead) {
  /** Above that difference of the clocks it is not used. */
  public static final Duration CLOCK_LIMIT = Duration.ofSeconds(1);

  /** Nobody asks for it, so its queues were not declared. */
  public static final NativeHold NOT_ASKED =
      new NativeHold(
          State.NOT_ASKED, "no route names DELIVERY_TIME, and pocketwatch.native is off", null);

  /** What can be known. */
  public enum State {
    /** Nobody asks for it. */
    NOT_ASKED,
    /** It is asked for, and the wheel serves: the description says why. */
    NOT_USABLE,
    /** A probe has passed on the connection there is. */
    USABLE
  }

  public static NativeHold usable(Duration ahead) {
    return new NativeHold(State.USABLE, "a probe of it has passed", ahead);
  }

  public static NativeHold notUsable(String description, @Nullable Duration ahead) {
    return new NativeHold(State.NOT_USABLE, description, ahead);
  }

  /** Whether messages may be held so. */
  public boolean isUsable() {
    return state == State.USABLE;
  }

  /** Whether somebody wants it, and the wheel has to serve. */
  public boolean isMissed() {
    return state == State.NOT_USABLE;
  }
}
