// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** No connection to the broker could be opened while building a publisher. */
public final class BrokerUnreachableException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  public BrokerUnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
