// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Ids that sort by their time: UUID version 7 (RFC 9562, section 5.7). They are unique, not secret:
 * each thread has its own generator, seeded by the system.
 */
final class MessageIds {
  private static final SecureRandom SEEDS = new SecureRandom();
  private static final ThreadLocal<SplittableRandom> RANDOM =
      ThreadLocal.withInitial(() -> new SplittableRandom(SEEDS.nextLong()));

  private MessageIds() {}

  static String next(Instant now) {
    SplittableRandom random = RANDOM.get();
    long high = now.toEpochMilli() << 16 | 0x7000 | random.nextLong() & 0x0fff;
    long low = random.nextLong() & 0x3fff_ffff_ffff_ffffL | 0x8000_0000_0000_0000L;
    return new UUID(high, low).toString();
  }
}
