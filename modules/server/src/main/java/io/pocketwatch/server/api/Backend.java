// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.rabbitmq.client.Connection;
import io.micrometer.core.instrument.MeterRegistry;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.store.DelayStore;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/**
 * What the interface works on. A changed configuration replaces publisher and routes: ask anew for
 * each request.
 */
public interface Backend {
  DelayRoutes routes();

  DelayedPublisher publisher();

  DelayStore store();

  /** A connection to the broker, which does not come back by itself. */
  Connection connect(String name) throws IOException, TimeoutException;

  /** Where what is counted here can be read. */
  MeterRegistry meters();

  /** How all of it is doing; asks neither broker nor store. */
  Vitals vitals();
}
