// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Gives messages another try. */
@Command(
    name = "release",
    description = {
      "Gives a message that is parked, failed or held another try: it is sent again, at its time or,"
          + " if that has passed, as soon as a loader runs.",
      "An earlier copy that is still on the broker is skipped by the delivery guard.",
      ""
    },
    footer = {
      "",
      "  pocketwatch release order-timeout ID",
      "  pocketwatch release --all --route order-timeout",
      "",
      "Exit code 0 only if all of them are released; else 1."
    })
public final class ReleaseCommand extends StoreVerb {
  @Parameters(index = "0", arity = "0..1", paramLabel = "ROUTE", description = "Its route.")
  private @Nullable String keyRoute;

  @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "Its id.")
  private @Nullable String keyId;

  @Option(names = "--all", description = "All parked messages, in place of ROUTE ID.")
  private boolean all;

  @Option(names = "--route", paramLabel = "ROUTE", description = "With --all: only on this route.")
  private @Nullable String route;

  @Option(names = "--json", description = "Print one JSON object in place of sentences.")
  private boolean json;

  @Override
  void checkUsage() {
    if (all ? keyRoute != null : keyId == null || route != null) {
      throw usage("give either ROUTE ID, or --all with or without --route ROUTE");
    }
  }

  @Override
  boolean run(Asked asked) {
    Selection selection =
        all ? Selection.parked(asked.store(), route) : Selection.one(keyRoute, keyId);
    return new Changes(asked, "released", json)
        .apply(selection, each -> asked.store().release(each, Actor.ofThisProcess()));
  }
}
