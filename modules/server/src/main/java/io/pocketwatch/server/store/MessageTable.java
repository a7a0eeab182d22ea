// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.screen.TextTable;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Stored messages as people read them. */
final class MessageTable {
  private static final int REASON_CHARS = 80;

  private MessageTable() {}

  static List<String> of(List<StoredMessage> messages, Instant now) {
    TextTable table =
        TextTable.ofWords("due", "", "state", "route", "id", "business key", "target");
    for (StoredMessage each : messages) {
      ScheduledMessage message = each.message();
      table.row(
          Moments.show(each.deliverAt()),
          Moments.relative(each.deliverAt(), now),
          each.state().name(),
          each.key().route(),
          each.key().id(),
          Objects.requireNonNullElse(message.businessKey(), "-"),
          target(message));
    }
    return table.lines();
  }

  static List<String> parked(List<StoredMessage> messages) {
    TextTable table = TextTable.ofWords("parked", "route", "id", "attempts", "reason");
    for (StoredMessage each : messages) {
      table.row(
          Moments.show(each.updatedAt()),
          each.key().route(),
          each.key().id(),
          Integer.toString(each.attempts()),
          brief(Objects.requireNonNullElse(each.reason(), "-")));
    }
    return table.lines();
  }

  private static String target(ScheduledMessage message) {
    return message.exchange().isEmpty()
        ? "queue " + message.routingKey()
        : message.exchange() + " / " + message.routingKey();
  }

  private static String brief(String reason) {
    String line = reason.replaceAll("\\s+", " ");
    return line.length() <= REASON_CHARS ? line : line.substring(0, REASON_CHARS - 3) + "...";
  }
}
