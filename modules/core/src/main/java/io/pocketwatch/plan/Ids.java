// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.plan;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.UUID;

/** Ids that sort by the time they were made: UUID version 7 (RFC 9562, section 5.7). */
final class Ids {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Ids() {}

  static String next(Instant now) {
    byte[] random = new byte[16];
    RANDOM.nextBytes(random);
    ByteBuffer bits = ByteBuffer.wrap(random);
    long high = now.toEpochMilli() << 16 | 0x7000 | bits.getLong() & 0x0fff;
    long low = bits.getLong() & 0x3fff_ffff_ffff_ffffL | 0x8000_0000_0000_0000L;
    return new UUID(high, low).toString();
  }
}
