// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

/** Thrown if no source can supply the broker asked for; the message says why for each source. */
public final class BrokerUnavailableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean pluginMissing;

  BrokerUnavailableException(String message, boolean pluginMissing) {
    super(message);
    this.pluginMissing = pluginMissing;
  }

  /**
   * Whether at least one source has a fitting broker, and each was refused only because it lacks a
   * plugin that was asked for.
   */
  public boolean pluginMissing() {
    return pluginMissing;
  }
}
