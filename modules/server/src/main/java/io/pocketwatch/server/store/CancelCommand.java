// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.store.SchedulingStore.MessageChange;
import picocli.CommandLine.Command;

/** Cancels stored messages. */
@Command(
    name = "cancel",
    description = {
      "Cancels a stored message, or all of a filter that are not finished.",
      "It says what came too late.",
      ""
    },
    footer = {
      "",
      "  pocketwatch cancel order-timeout ID",
      "  pocketwatch cancel --business-key order-4711",
      "  pocketwatch cancel --route order-timeout --due-until 2026-01-31 --dry-run",
      "",
      "Exit code 0 only if all of them are cancelled; else 1."
    })
public final class CancelCommand extends ChangeVerb {
  @Override
  MessageChange change(Asked asked) {
    return MessageChange.cancel();
  }
}
