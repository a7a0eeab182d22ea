// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command on the messages of a filter. */
abstract class FilterCommand extends StoreCommand {
  @Option(names = "--route", paramLabel = "ROUTE", description = "Only this route.")
  @Nullable String route;

  @Option(names = "--business-key", paramLabel = "KEY", description = "Only this business key.")
  @Nullable String businessKey;

  @Option(
      names = "--state",
      paramLabel = "STATE",
      split = ",",
      description =
          "Only rows whose column state is pending, held, failed or parked; where nothing is"
              + " changed also settled, cancelled.")
  Set<MessageState> states = Set.of();

  @Option(names = "--due-from", paramLabel = "T", description = "Due at this time or later.")
  @Nullable String dueFrom;

  @Option(names = "--due-until", paramLabel = "T", description = "Due before this time.")
  @Nullable String dueUntil;

  @Nullable Instant from;
  @Nullable Instant until;

  @Override
  void checkTimes(TimeArguments moments) {
    from = time(moments, "--due-from", dueFrom);
    until = time(moments, "--due-until", dueUntil);
    requireOrder(from, until);
  }
}
