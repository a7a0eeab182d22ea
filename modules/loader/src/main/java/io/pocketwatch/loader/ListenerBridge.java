// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;

/** Passes on what a loader tells to whoever hears everything. */
final class ListenerBridge implements PocketwatchListener {
  private final PocketwatchListener listener;

  ListenerBridge(PocketwatchListener listener) {
    this.listener = listener;
  }

  @Override
  public void batchLoaded(String route, int count, Duration duration) {
    listener.loaded(route, count, duration);
  }

  @Override
  public void parked(MessageKey key, String reason) {
    listener.parked(key, reason);
  }

  @Override
  public void targetMissing(MessageKey key, String reason) {
    listener.targetMissing(key.route(), 1);
  }

  @Override
  public void recovered(String route, int count) {
    listener.returned(route, count);
  }

  @Override
  public void epochLost(String epoch, int count) {
    listener.epochLost(epoch);
  }
}
