// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.screen.TextTable;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.server.view.PhaseWords;
import io.pocketwatch.server.view.TimeText;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Prints stored messages for people. Long texts are cut; JSON and 'show' have them whole. */
public final class MessageTable {
  private static final int REASON_CHARS = 80;
  private static final int WORD_CHARS = 40;

  private MessageTable() {}

  public static List<String> of(List<MessageSummary> messages, Instant now) {
    TextTable table =
        TextTable.ofWords("due", "", "state", "phase", "route", "id", "business key", "target");
    for (MessageSummary summary : messages) {
      StoredMessage each = summary.stored();
      ScheduledMessage message = each.message();
      table.row(
          TimeText.show(each.deliverAt()),
          TimeText.relative(each.deliverAt(), now),
          each.state().name(),
          Visible.brief(PhaseWords.of(summary, now), REASON_CHARS),
          Visible.brief(each.key().route(), WORD_CHARS),
          Visible.brief(each.key().id(), WORD_CHARS),
          Visible.brief(Objects.requireNonNullElse(message.businessKey(), "-"), WORD_CHARS),
          Visible.brief(target(message), WORD_CHARS));
    }
    return table.lines();
  }

  static List<String> parked(List<MessageSummary> messages) {
    TextTable table = TextTable.ofWords("parked", "route", "id", "failed sends", "reason");
    for (MessageSummary summary : messages) {
      StoredMessage each = summary.stored();
      table.row(
          TimeText.show(each.updatedAt()),
          Visible.brief(each.key().route(), WORD_CHARS),
          Visible.brief(each.key().id(), WORD_CHARS),
          each.attempts() == 0 ? "-" : Integer.toString(each.attempts()),
          Visible.brief(Objects.requireNonNullElse(each.reason(), "-"), REASON_CHARS));
    }
    return table.lines();
  }

  static String target(ScheduledMessage message) {
    return message.exchange().isEmpty()
        ? "queue " + message.routingKey()
        : message.exchange() + " / " + message.routingKey();
  }
}
