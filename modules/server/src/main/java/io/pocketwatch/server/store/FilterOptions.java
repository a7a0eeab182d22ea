// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which messages a command changes, in place of ROUTE ID. */
final class FilterOptions {
  @Option(names = "--route", paramLabel = "ROUTE", description = "All on this route.")
  @Nullable String route;

  @Option(names = "--business-key", paramLabel = "KEY", description = "All with this business key.")
  @Nullable String businessKey;

  @Option(
      names = "--state",
      paramLabel = "STATE",
      split = ",",
      description = "Of those only these: pending, held, failed, parked.")
  Set<MessageState> states = Set.of();

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Only those that are parked, failed or held with this reason, exactly.")
  @Nullable String reason;

  @Option(names = "--due-from", paramLabel = "T", description = "Due at this time or later.")
  @Nullable String dueFrom;

  @Option(names = "--due-until", paramLabel = "T", description = "Due before this time.")
  @Nullable String dueUntil;

  @Option(names = "--dry-run", description = "Say how many there are, and change nothing.")
  boolean dryRun;

  /** Whether it says of what all are meant. */
  boolean narrow() {
    return route != null || businessKey != null;
  }

  boolean given() {
    return narrow()
        || !states.isEmpty()
        || reason != null
        || dueFrom != null
        || dueUntil != null
        || dryRun;
  }
}
