// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** The broker could not be reached, or did not answer in time; nothing was sent. */
public final class BrokerUnreachableException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  public BrokerUnreachableException(String message, Throwable cause) {
    super(message, cause);
  }

  public BrokerUnreachableException(String message) {
    super(message);
  }
}
