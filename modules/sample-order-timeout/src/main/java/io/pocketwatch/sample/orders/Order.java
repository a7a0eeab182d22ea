// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import java.time.OffsetDateTime;

/**
 * An order.
 *
 * @param payBy when it is cancelled, unless it is paid by then
 */
record Order(String id, String item, Status status, OffsetDateTime payBy) {
  /** Where it stands; only from OPEN does it go anywhere. */
  enum Status {
    OPEN,
    PAID,
    CANCELLED
  }
}
