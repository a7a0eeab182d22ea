// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import java.util.Optional;

/**
 * Finds the broker for commands that name none. Loaded by {@link java.util.ServiceLoader}; the
 * production jar has no implementation.
 */
public interface DefaultBroker {

  /** The default broker, if it runs now. */
  Optional<NamedBroker> running();
}
