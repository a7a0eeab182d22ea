// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.micrometer.core.instrument.MeterRegistry;
import io.pocketwatch.NativeHold;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
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
  Vitals vitals();

  @Override
  default String brokerVersion() {
    return vitals().brokerVersion();
  }

  @Override
  default List<String> brokenHolds() {
    return vitals().brokenHolds();
  }

  @Override
  default NativeHold nativeHold() {
    return publisher().status().nativeHold();
  }
}
