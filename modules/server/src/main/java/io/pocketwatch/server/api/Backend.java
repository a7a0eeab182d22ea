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
 * What the interface works on. A changed configuration replaces publisher and routes: ask anew for
 * each request.
 */
public interface Backend extends BrokerSide {
  TrackedPublisher publisher();

  DelayStore store();

  /** Where what is counted here can be read. */
  MeterRegistry meters();

  /** How all of it is doing; asks neither broker nor store. */
  HealthView health();

  /** For how long the broker and the store have not answered what they were asked. */
  Silence silence();

  /** Zero for who answers. */
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
