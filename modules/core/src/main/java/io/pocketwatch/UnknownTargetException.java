// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * The exchange or queue a message is addressed to does not exist. It is thrown when the message is
 * published, not when it is due: nothing was sent.
 */
public final class UnknownTargetException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  private final String target;

  public UnknownTargetException(String target, Throwable cause) {
    super(target + " does not exist on the broker; declare it before scheduling to it", cause);
    this.target = target;
  }

  /** The missing exchange or queue, for example {@code exchange 'orders'}. */
  public String target() {
    return target;
  }
}
