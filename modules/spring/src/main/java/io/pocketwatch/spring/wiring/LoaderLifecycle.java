// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.loader.LoaderState;
import io.pocketwatch.tracking.TrackedPublisher;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the loader with the application. Stops after the listener containers, and before the
 * publisher is closed. It waits for messages in flight, and gives back rows that are only claimed.
 */
public final class LoaderLifecycle implements SmartLifecycle {
  /** Containers are in the last phase, and so stop first. */
  static final int PHASE = Integer.MAX_VALUE - 1_000;

  private final DelayedPublisher publisher;
  private final PocketwatchListener listener;
  private @Nullable Loader loader;

  LoaderLifecycle(DelayedPublisher publisher, PocketwatchListener listener) {
    this.publisher = publisher;
    this.listener = listener;
  }

  /** The state of the loader; empty while it is stopped. */
  public synchronized Optional<LoaderState> state() {
    return Optional.ofNullable(loader).map(Loader::state);
  }

  /** A closed loader stays closed, and so each start has its own. */
  @Override
  public synchronized void start() {
    if (loader == null) {
      publisher.connect(); // errors in the broker's topology are reported now
      loader = new Loader(TrackedPublisher.of(publisher), listener);
      loader.start();
    }
  }

  @Override
  public synchronized void stop() {
    if (loader != null) {
      loader.close();
      loader = null;
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return loader != null;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
