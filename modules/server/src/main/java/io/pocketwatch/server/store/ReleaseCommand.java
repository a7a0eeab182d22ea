// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.store.SchedulingStore.MessageChange;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Gives messages another try. */
@Command(
    name = "release",
    description = {
      "Gives another try to a message that is parked, failed or held, or to all parked ones of a"
          + " filter.",
      "It is sent again at its time, or, if that has passed, as soon as a loader runs.",
      "An earlier copy that is still on the broker is skipped by the delivery guard.",
      ""
    },
    footer = {
      "",
      "  pocketwatch release order-timeout ID",
      "  pocketwatch release --route order-timeout",
      "  pocketwatch release --business-key order-4711 --state parked,failed",
      "",
      "Exit code 0 only if all of them are released; else 1."
    })
public final class ReleaseCommand extends ChangeVerb {
  @Option(names = "--all", description = "All parked messages, of all routes or of a filter.")
  private boolean all;

  @Override
  boolean all() {
    return all;
  }

  @Override
  MessageChange change(Asked asked) {
    return MessageChange.release();
  }
}
