// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * Pocketwatch's exchanges and queues are missing, differ from this configuration, or do not carry a
 * message from hold to delivery. Existing exchanges and queues were left as they are.
 */
public final class TopologyException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  public TopologyException(String message) {
    super(message);
  }

  public TopologyException(String message, Throwable cause) {
    super(message, cause);
  }
}
