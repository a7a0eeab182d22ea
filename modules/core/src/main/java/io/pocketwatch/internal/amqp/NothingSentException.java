// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import io.pocketwatch.PublishReceipt.Cause;

/** The message was not even tried. The publish call ends as rejected, with this reason. */
public final class NothingSentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Cause receiptCause;

  /** For a message whose target or hold could not be prepared. */
  public NothingSentException(String why) {
    this(Cause.NOT_PREPARED, why);
  }

  public NothingSentException(Cause receiptCause, String why) {
    super(why);
    this.receiptCause = receiptCause;
  }

  public NothingSentException(String why, Throwable cause) {
    super(why, cause);
    this.receiptCause = Cause.NOT_PREPARED;
  }

  public Cause receiptCause() {
    return receiptCause;
  }
}
