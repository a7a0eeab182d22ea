// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells all listeners. What one throws is logged, and keeps nothing from the others or from whoever
 * tells. So is a {@link LinkageError}, which a listener of another version throws.
 */
record SafeListeners(List<PocketwatchListener> listeners) implements PocketwatchListener {
  private static final Logger LOG = LoggerFactory.getLogger(SafeListeners.class);

  @Override
  public void onEvent(PocketwatchEvent event) {
    for (PocketwatchListener each : listeners) {
      try {
        each.onEvent(event);
      } catch (RuntimeException | LinkageError e) {
        LOG.error("A listener failed; nothing else does", e);
      }
    }
  }
}
