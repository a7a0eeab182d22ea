// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.config.StorePolicy.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;

/** Claims that were never near a database. */
final class Rows {
  private Rows() {}

  static Claim claim(String id) {
    ScheduledMessage message =
        new ScheduledMessage(
            new MessageKey("route", id),
            null,
            "exchange",
            "key",
            new byte[0],
            new byte[0],
            Instant.EPOCH,
            Tracking.HANDOFF,
            0);
    StoredMessage row =
        new StoredMessage(
            message,
            MessageState.PENDING,
            1,
            0,
            null,
            null,
            Instant.EPOCH,
            Instant.EPOCH,
            null,
            null);
    return new Claim(row, "loader", 1);
  }
}
