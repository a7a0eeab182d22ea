// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.micrometer.core.instrument.MeterRegistry;
import io.pocketwatch.NativeHold;
import io.pocketwatch.server.view.HealthView;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.util.List;

/**
 * The publisher, store and health behind the interface. A changed configuration replaces publisher
 * and routes: get them anew for each request.
 */
public interface Backend extends BrokerSide {
  TrackedPublisher publisher();

  DelayStore store();

  /** The registry for meters of the interface. */
  MeterRegistry meters();

  /** The health of the server; asks neither broker nor store. */
  HealthView health();

  /** For how long the broker and the store have left a request unanswered. */
  Silence silence();

  /** Zero for one that answers. */
  record Silence(Duration broker, Duration store) {}

  @Override
  default String brokerVersion() {
    return health().brokerVersion();
  }

  @Override
  default List<String> brokenHolds() {
    return health().brokenHolds();
  }

  @Override
  default NativeHold nativeHold() {
    return publisher().status().nativeHold();
  }
}
