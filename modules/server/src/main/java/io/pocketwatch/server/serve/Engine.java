// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.metrics.PocketwatchMetrics;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.store.DelayStore;
import java.time.Instant;
import java.util.concurrent.CompletionException;

/**
 * A publisher and a loader for one state of the configuration.
 *
 * @param routes that state
 * @param publisher takes what is loaded to the broker
 * @param loader loads
 * @param pulse whether the loader gets anywhere
 * @param since when it began
 */
record Engine(
    DelayRoutes routes, DelayedPublisher publisher, Loader loader, LoaderPulse pulse, Instant since)
    implements AutoCloseable {

  /**
   * Connects, declares what is missing on the broker, and does not load yet.
   *
   * @throws io.pocketwatch.PocketwatchException if broker or store will not
   */
  static Engine prepare(
      NamedBroker broker, DelayStore store, DelayRoutes routes, PocketwatchMetrics metrics) {
    DelayedPublisher publisher =
        broker.publisher().routes(routes).store(store).listener(metrics).build();
    try {
      if (!routes.asksForNative()) {
        declareWheel(publisher);
      }
      LoaderPulse pulse = new LoaderPulse(routes.loader().sweep());
      Loader loader = Loader.builder(publisher).listener(metrics).listener(pulse).build();
      return new Engine(routes, publisher, loader, pulse, Instant.now());
    } catch (RuntimeException | Error e) {
      publisher.close();
      throw e;
    }
  }

  /** At once, for clients of other languages, which declare nothing. */
  private static void declareWheel(DelayedPublisher publisher) {
    try {
      publisher.declareWheel().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof PocketwatchException known ? known : e;
    }
  }

  /** Waits for what was sent, gives back what was only claimed, and disconnects. */
  @Override
  public void close() {
    loader.close();
    publisher.close();
  }
}
