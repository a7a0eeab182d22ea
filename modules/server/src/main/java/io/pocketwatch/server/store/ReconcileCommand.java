// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Screen;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Opens the books of a day. */
@Command(
    name = "reconcile",
    description = {
      "Tells what became of every message that was due on a day, per route. It includes finished"
          + " ones that are history.",
      "A route with tracking 'none' keeps no books: its row goes when the broker has the message."
          + " With 'handoff' HELD is the end of the story; with 'full' SETTLED is.",
      ""
    },
    footer = {
      "",
      "  pocketwatch reconcile --day 2026-01-31",
      "  pocketwatch reconcile --day yesterday --json",
      "",
      "Exit code 0 if the books balance, else 1. They do if the states add up, and nothing that was"
          + " due before now is pending, or held unsettled on a fully tracked route."
    })
public final class ReconcileCommand extends StoreVerb {
  @Option(
      names = "--day",
      required = true,
      paramLabel = "D",
      description = "2026-01-31, today or yesterday, in the zone of pocketwatch.loader.zone.")
  private String day = "";

  @Option(names = "--json", description = "Print one JSON object in place of the table.")
  private boolean json;

  private @Nullable LocalDate given;

  @Override
  void checkUsage() {
    if (day.equals("today") || day.equals("yesterday")) {
      return;
    }
    try {
      given = LocalDate.parse(day);
    } catch (DateTimeException e) {
      throw usage("--day '" + day + "' is not a day; write for example 2026-01-31 or yesterday");
    }
  }

  @Override
  boolean run(Asked asked) {
    Instant now = asked.store().now();
    LocalDate asOf = now.atZone(asked.moments().zone()).toLocalDate();
    LocalDate wanted = given;
    if (wanted == null) {
      wanted = day.equals("today") ? asOf : asOf.minusDays(1);
    }
    Books books = Books.open(asked, wanted, now);
    Screen screen = asked.screen();
    if (json) {
      screen.result(Json.line(books.json()));
    } else {
      books.table().forEach(screen::result);
    }
    String verdict = books.verdict();
    if (books.balanced()) {
      screen.success(verdict);
    } else {
      screen.failure(verdict);
    }
    return books.balanced();
  }
}
