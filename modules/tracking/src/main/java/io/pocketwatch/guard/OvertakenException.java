// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.PocketwatchException;
import io.pocketwatch.store.MessageKey;

/**
 * Somebody else has taken over the message that this handler was about to settle: its lease ran
 * out. What the handler has done in its transaction is to be rolled back.
 */
public final class OvertakenException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  OvertakenException(MessageKey key) {
    super(key + " was taken over while it was handled; roll back what its handler has done");
  }
}
