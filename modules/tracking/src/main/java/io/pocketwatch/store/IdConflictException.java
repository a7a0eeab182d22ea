// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.PocketwatchException;
import java.time.Instant;

/** The route has another message under this id: its target, content or instant differs. */
public final class IdConflictException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  private final String id;

  /**
   * @param stored when the stored message is due, for example {@code due 2026-01-01T00:00:00Z}, or
   *     empty
   */
  public IdConflictException(MessageKey key, Instant asked, String stored) {
    super(
        "another message %s is stored already%s; this one is due %s: give it another id, or reschedule that one"
            .formatted(key, stored.isEmpty() ? "" : ", " + stored, asked));
    this.id = key.id();
  }

  public String id() {
    return id;
  }
}
