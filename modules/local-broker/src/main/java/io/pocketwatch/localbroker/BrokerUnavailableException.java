// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

/** No source can supply the broker that was asked for; the message says why, source by source. */
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
