// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.PocketwatchException;
import io.pocketwatch.store.MessageKey;

/**
 * The message that this handler was about to settle was taken over: its lease had run out. The
 * handler's transaction must be rolled back.
 */
public final class OvertakenException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  OvertakenException(MessageKey key) {
    super(key + " was taken over while it was handled; roll back what its handler has done");
  }
}
