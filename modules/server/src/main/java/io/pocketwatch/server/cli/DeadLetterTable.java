// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.screen.TextTable;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.server.deadletter.DeadLetter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints dead letters as a table for people. Long texts are cut; JSON has them whole. */
final class DeadLetterTable {
  private static final int REASON_CHARS = 80;
  private static final int WORD_CHARS = 40;

  private DeadLetterTable() {}

  public static List<String> of(List<DeadLetter> messages) {
    TextTable table = TextTable.ofWords("due", "route", "id", "target", "attempts", "reason");
    for (DeadLetter each : messages) {
      Instant due = each.deliverAt();
      table.row(
          due == null ? "-" : due.truncatedTo(ChronoUnit.SECONDS).toString(),
          brief(each.route(), WORD_CHARS),
          brief(each.id(), WORD_CHARS),
          brief(
              each.exchange().isEmpty()
                  ? "queue " + each.routingKey()
                  : each.exchange() + " / " + each.routingKey(),
              WORD_CHARS),
          Integer.toString(each.attempts()),
          brief(each.reason(), REASON_CHARS));
    }
    return table.lines();
  }

  private static String brief(@Nullable String text, int most) {
    return text == null ? "-" : Visible.brief(text, most);
  }
}
