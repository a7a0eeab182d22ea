// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.store.DelayStore;

/**
 * What the interface works on. A changed configuration replaces publisher and routes: ask anew for
 * each request.
 */
public interface Backend {
  DelayRoutes routes();

  DelayedPublisher publisher();

  DelayStore store();

  /** How all of it is doing; asks neither broker nor store. */
  Vitals vitals();
}
