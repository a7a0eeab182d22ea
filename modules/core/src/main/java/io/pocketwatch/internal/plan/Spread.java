// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The part of a spread that belongs to an id. The function must never change: a message that is
 * sent again must be due when the first one was.
 */
final class Spread {
  private static final long FNV_OFFSET = 0xcbf2_9ce4_8422_2325L;
  private static final long FNV_PRIME = 0x0000_0100_0000_01b3L;

  private Spread() {}

  /** The part in whole milliseconds, from zero to below the spread, evenly distributed over ids. */
  static Duration part(String id, Duration spread) {
    long millis = spread.toMillis();
    return millis == 0
        ? Duration.ZERO
        : Duration.ofMillis(Long.remainderUnsigned(hash(id), millis));
  }

  /** FNV-1a and, since the last bytes reach only some bits of it, the mixing of MurmurHash3. */
  private static long hash(String id) {
    long hash = FNV_OFFSET;
    for (byte each : id.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (each & 0xff)) * FNV_PRIME;
    }
    hash = (hash ^ (hash >>> 33)) * 0xff51_afd7_ed55_8ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ce_b9fe_1a85_ec53L;
    return hash ^ (hash >>> 33);
  }
}
