// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import java.util.Optional;

/**
 * Knows the broker of commands to which none is named; found by {@link java.util.ServiceLoader}.
 * The production jar has none.
 */
public interface DefaultBroker {

  /** That broker, if it runs now. */
  Optional<NamedBroker> running();
}
