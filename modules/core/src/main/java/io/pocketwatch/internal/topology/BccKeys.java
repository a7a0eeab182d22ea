// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.internal.base.DurationText;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The keys that steer a message through our exchanges. They travel beside the user's own routing
 * key, in the {@code BCC} header (sender-selected distribution). The broker keeps that through
 * every dead-lettering hop and strips it before delivery.
 *
 * <p>Each key is one word without dots. Hidden keys also take part in routing at the user's topic
 * exchange, where a dotted key would match patterns such as {@code #.orders}. With one word only a
 * binding to a bare {@code *} can match falsely.
 */
public final class BccKeys {
  /** The prefix that user keys must not have. */
  public static final String RESERVED = "pw-";

  /** From our deliver exchange to the sink, for probes that come too late. */
  public static final String TO_SINK = "pw-check";

  private static final String QUEUES = "pw-queues";
  private static final String VIA_QUEUES = "pw-queues-via"; // pw-via-queues is an exchange's
  private static final int MAX_ENCODED = 180;

  private BccKeys() {}

  /** To the TTL queue of a configured delay. */
  public static String ttl(Duration delay) {
    return "pw-ttl-" + delay.toMillis();
  }

  /** To one of the queues that hold by delivery time. */
  public static String nativeQueue(int number) {
    return "pw-native-" + number;
  }

  /** To the queue at a position of a hand. */
  static String hand(Duration unit, long position) {
    return "pw-" + DurationText.format(unit) + "-" + position;
  }

  /**
   * Past a hand. The key names the next hand: the old binding outlives a change of hands, and would
   * else lead past a hand that was inserted.
   *
   * @param next the hand after it, or null for the last
   */
  static String zero(Duration unit, @Nullable Duration next) {
    return hand(unit, 0) + (next == null ? "" : "-" + DurationText.format(next));
  }

  /** From our deliver exchange to the destination. */
  static String to(Destination destination) {
    return destination.toQueue() ? QUEUES : "pw-to-" + encode(destination.exchange());
  }

  /** From our deliver exchange to the destination's out queue. */
  static String out(Destination destination) {
    return "pw-out-" + outName(destination);
  }

  /** From behind the out queue to the destination; another key, or both stages would match. */
  static String via(Destination destination) {
    return destination.toQueue() ? VIA_QUEUES : "pw-via-" + encode(destination.exchange());
  }

  static String outName(Destination destination) {
    // '~q' cannot begin an encoded exchange name: an escape is followed by two hex digits.
    return destination.toQueue()
        ? "~q" + encode(destination.queue())
        : encode(destination.exchange());
  }

  /** To the temporary queue of a message. */
  public static String temporary(String token) {
    return "pw-tmp-" + encode(token);
  }

  /** From our deliver exchange to the queue in which a probe arrives. */
  public static String probe(String token) {
    return "pw-probe-" + encode(token);
  }

  /**
   * A name as one word of letters, digits, {@code _} and {@code -}, with other bytes as {@code
   * ~XX}. A digest takes the place of one too long for a key or queue name (255 bytes).
   */
  static String encode(String name) {
    StringBuilder word = new StringBuilder();
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    for (byte b : bytes) {
      boolean plain =
          b >= 'a' && b <= 'z'
              || b >= 'A' && b <= 'Z'
              || b >= '0' && b <= '9'
              || b == '_'
              || b == '-';
      if (plain) {
        word.append((char) b);
      } else {
        word.append('~').append(HexFormat.of().toHexDigits(b));
      }
    }
    return word.length() <= MAX_ENCODED ? word.toString() : "~h" + digest(bytes);
  }

  private static String digest(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
