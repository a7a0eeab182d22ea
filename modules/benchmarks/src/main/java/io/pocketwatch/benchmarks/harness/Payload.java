// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.nio.ByteBuffer;

/** What every message carries: its number, and filling. */
public final class Payload {
  /** The size of every payload. */
  public static final int BYTES = 256;

  private Payload() {}

  /** A payload of its own for each message, as an application would make it. */
  public static byte[] of(int number) {
    return ByteBuffer.allocate(BYTES).putInt(number).array();
  }

  /** The number in a payload. */
  public static int number(byte[] payload) {
    return ByteBuffer.wrap(payload).getInt();
  }
}
