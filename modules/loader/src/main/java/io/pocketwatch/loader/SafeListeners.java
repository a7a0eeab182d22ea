// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells all of somebody else's listeners, and keeps what one throws from the others and the
 * loading.
 */
record SafeListeners(List<PocketwatchListener> listeners) implements PocketwatchListener {
  private static final Logger LOG = LoggerFactory.getLogger(SafeListeners.class);

  @Override
  public void batchLoaded(String route, int count, Duration duration) {
    tell(listener -> listener.batchLoaded(route, count, duration));
  }

  @Override
  public void parked(MessageKey key, String reason) {
    tell(listener -> listener.parked(key, reason));
  }

  @Override
  public void targetMissing(MessageKey key, String reason) {
    tell(listener -> listener.targetMissing(key, reason));
  }

  @Override
  public void heldUp(String route, int count, String reason) {
    tell(listener -> listener.heldUp(route, count, reason));
  }

  @Override
  public void recovered(String route, int count) {
    tell(listener -> listener.recovered(route, count));
  }

  @Override
  public void epochLost(String epoch, int count) {
    tell(listener -> listener.epochLost(epoch, count));
  }

  @Override
  public void silent(String route, long overdue) {
    tell(listener -> listener.silent(route, overdue));
  }

  @Override
  public void movedToHistory(int count) {
    tell(listener -> listener.movedToHistory(count));
  }

  @Override
  public void swept(LoadReport report) {
    tell(listener -> listener.swept(report));
  }

  private void tell(Consumer<PocketwatchListener> event) {
    for (PocketwatchListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (RuntimeException | LinkageError e) { // one of another version, perhaps
        LOG.error("A listener failed; loading goes on", e);
      }
    }
  }
}
