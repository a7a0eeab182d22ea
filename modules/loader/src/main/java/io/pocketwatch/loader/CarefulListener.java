// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.store.MessageKey;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what somebody else's listener throws away from the loading. */
record CarefulListener(LoaderListener listener) implements LoaderListener {
  private static final Logger LOG = LoggerFactory.getLogger(CarefulListener.class);

  @Override
  public void batchLoaded(String route, int count, Duration duration) {
    call(() -> listener.batchLoaded(route, count, duration));
  }

  @Override
  public void parked(MessageKey key, String reason) {
    call(() -> listener.parked(key, reason));
  }

  @Override
  public void targetMissing(MessageKey key, String reason) {
    call(() -> listener.targetMissing(key, reason));
  }

  @Override
  public void heldUp(String route, int count, String reason) {
    call(() -> listener.heldUp(route, count, reason));
  }

  @Override
  public void recovered(String route, int count) {
    call(() -> listener.recovered(route, count));
  }

  @Override
  public void epochLost(String epoch, int count) {
    call(() -> listener.epochLost(epoch, count));
  }

  @Override
  public void silent(String route, long overdue) {
    call(() -> listener.silent(route, overdue));
  }

  @Override
  public void movedToHistory(int count) {
    call(() -> listener.movedToHistory(count));
  }

  @Override
  public void swept(LoadReport report) {
    call(() -> listener.swept(report));
  }

  private static void call(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException | LinkageError e) { // one of another version, perhaps
      LOG.error("A listener failed; loading goes on", e);
    }
  }
}
