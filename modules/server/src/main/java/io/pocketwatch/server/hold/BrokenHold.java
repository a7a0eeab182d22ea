// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hold;

import io.pocketwatch.topology.HoldProbe;
import java.time.Duration;

/**
 * A hold queue that does not take messages.
 *
 * @param queue its name
 * @param what what became of the probe
 * @param longest how long a message in it can have to wait until it is due
 */
public record BrokenHold(String queue, String what, Duration longest) {
  static BrokenHold of(HoldProbe probe, String what) {
    return new BrokenHold(probe.queue(), what, probe.longest());
  }

  /** Name and state, as a part of a sentence. */
  public String words() {
    return queue + " " + what;
  }
}
