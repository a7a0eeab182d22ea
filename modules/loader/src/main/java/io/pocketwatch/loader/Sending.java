// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.store.Claim;
import java.util.List;

/** Sends claimed messages and waits for their verdicts. */
@FunctionalInterface
interface Sending {
  /**
   * @param alone whether nothing else of this loader may be under way meanwhile
   */
  Sent send(List<Claim> group, boolean alone);
}
