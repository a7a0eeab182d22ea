// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Cancels stored messages. */
@Command(
    name = "cancel",
    description = {
      "Cancels stored messages, and says of each whether that came in time: one by route and id, or"
          + " all that are not finished and have a business key.",
      ""
    },
    footer = {
      "",
      "  pocketwatch cancel order-timeout ID",
      "  pocketwatch cancel --business-key order-4711",
      "",
      "Exit code 0 only if all of them are cancelled; else 1."
    })
public final class CancelCommand extends StoreVerb {
  @Parameters(index = "0", arity = "0..1", paramLabel = "ROUTE", description = "Its route.")
  private @Nullable String keyRoute;

  @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "Its id.")
  private @Nullable String keyId;

  @Option(
      names = "--business-key",
      paramLabel = "KEY",
      description = "All with this business key, in place of ROUTE ID.")
  private @Nullable String businessKey;

  @Option(
      names = "--route",
      paramLabel = "ROUTE",
      description = "With --business-key: only on this route.")
  private @Nullable String route;

  @Option(names = "--json", description = "Print one JSON object in place of sentences.")
  private boolean json;

  @Override
  void checkUsage() {
    if (businessKey == null ? keyId == null || route != null : keyRoute != null) {
      throw usage("give either ROUTE ID, or --business-key KEY with or without --route ROUTE");
    }
  }

  @Override
  boolean run(Asked asked) {
    Selection selection =
        businessKey == null
            ? Selection.one(keyRoute, keyId)
            : Selection.unfinished(asked.store(), businessKey, route);
    return new Changes(asked, "cancelled", json)
        .apply(selection, each -> asked.store().cancel(each, Actor.ofThisProcess()));
  }
}
