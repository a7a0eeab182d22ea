// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether {@link DelayStrategy#DELIVERY_TIME} can hold messages, on one connection.
 *
 * @param state whether it is asked for, and can be used
 * @param description why it is not used, as a part of a sentence; where it is used, how that was
 *     found
 * @param ahead by how much the clock of the queue leader's node is ahead of this machine's,
 *     negative if behind. Of several leaders it is the one that is off the most. It is exact to the
 *     time a message takes, and null without a probe
 */
public record NativeHold(State state, String description, @Nullable Duration ahead) {
  /** The largest difference of the clocks at which it is used. */
  public static final Duration CLOCK_LIMIT = Duration.ofSeconds(1);

  /** The state where no configuration asks for it, so that its queues were not declared. */
  public static final NativeHold NOT_ASKED =
      new NativeHold(
          State.NOT_ASKED, "no route names DELIVERY_TIME, and pocketwatch.native is off", null);

  /** Whether it is asked for, and can be used. */
  public enum State {
    /** No route and no option asks for it. */
    NOT_ASKED,
    /** It is asked for, and the wheel is used instead: the description says why. */
    NOT_USABLE,
    /** A probe has passed on the present connection. */
    USABLE
  }

  public static NativeHold usable(Duration ahead) {
    return new NativeHold(State.USABLE, "a probe of it has passed", ahead);
  }

  public static NativeHold notUsable(String description, @Nullable Duration ahead) {
    return new NativeHold(State.NOT_USABLE, description, ahead);
  }

  /** Whether messages may be held by it. */
  public boolean isUsable() {
    return state == State.USABLE;
  }

  /** Whether it is asked for, and the wheel is used instead. */
  public boolean isMissed() {
    return state == State.NOT_USABLE;
  }
}
