// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import io.pocketwatch.screen.Numbers;
import java.time.Duration;
import java.util.Map;

/**
 * A hold queue that does not take messages, or does not pass them on.
 *
 * @param queue its name
 * @param state what the probe may mean
 * @param what what became of the probe
 * @param longest how long a message in it can have to wait until it is due
 */
public record BrokenHold(String queue, State state, String what, Duration longest) {
  /** The outcome of a probe, and so the possible remedy for its queue. */
  public enum State {
    /** It refuses messages, as a queue does whose process has died for good. */
    REFUSED,
    /** It refuses messages, but counts those it has: it lives, and has reached a limit. */
    FULL,
    /** It is missing, or not bound; messages in it are safe. */
    UNBOUND,
    /** No answer came: it may be well, and have lost nothing. */
    SILENT,
    /** It takes messages, and they stay in it after they are due. */
    STUCK
  }

  static BrokenHold of(HoldProbe probe, State state, String what) {
    return new BrokenHold(probe.queue(), state, what, probe.longest());
  }

  BrokenHold full(long messages) {
    return new BrokenHold(
        queue,
        State.FULL,
        "refuses messages and is full, with " + Numbers.of(messages, "message"),
        longest);
  }

  /** This hold; but if it refuses only now, with the state it had before. */
  BrokenHold after(Map<String, State> before) {
    State then = before.getOrDefault(queue, state);
    return state != State.REFUSED || then == State.REFUSED
        ? this
        : new BrokenHold(queue, then, what + ", but not twice", longest);
  }

  /** Name and state, as a part of a sentence. */
  public String words() {
    return queue + " " + what;
  }
}
