// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The messages of a round. The same values make the same messages, in whichever process.
 *
 * @param prefix how their ids begin
 * @param seed of lanes and delays
 * @param count how many
 * @param begin when the first is sent
 * @param span over what time
 */
public record Messages(String prefix, long seed, int count, Instant begin, Span span) {
  private static final long LEAST_DELAY_MILLIS = 1_000;

  /**
   * Over what time messages are sent, and due.
   *
   * @param sending from the first message to the last
   * @param length from the first message to the last instant
   * @param longest the longest delay
   */
  public record Span(Duration sending, Duration length, Duration longest) {
    /** The part of a round in which its messages are sent. */
    private static final double SENDING = 0.7;

    /** A round by itself: many are due towards its end. */
    public static Span alone(Duration length) {
      Duration sending = Duration.ofMillis((long) (length.toMillis() * SENDING));
      return new Span(sending, length, length);
    }

    /** One of several without a gap: as many are held and due at any time. */
    public static Span oneOfMany(Duration sending, Duration longest) {
      return new Span(sending, sending.plus(longest), longest);
    }
  }

  /**
   * One of them.
   *
   * @param id its id
   * @param lane the way it takes
   * @param at when it is sent
   * @param delay how long it is held
   */
  public record Message(String id, Lane lane, Instant at, Duration delay) {
    public Instant due() {
      return at.plus(delay);
    }
  }

  /** The last instant. */
  public Instant end() {
    return begin.plus(span.length());
  }

  public List<Message> all() {
    Random random = new Random(seed);
    List<Message> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Lane lane = Lane.random(random);
      long at = (long) ((double) span.sending().toMillis() * i / count);
      long left = Math.min(span.length().toMillis() - at, span.longest().toMillis());
      long most = Math.max(0, left - LEAST_DELAY_MILLIS);
      Duration any = Duration.ofMillis(LEAST_DELAY_MILLIS + (long) (random.nextDouble() * most));
      Duration configured = Lane.DELAYS.get(random.nextInt(Lane.DELAYS.size()));
      Duration delay = lane.way() == Lane.Way.TTL ? configured : any;
      all.add(new Message(prefix + i, lane, begin.plusMillis(at), delay));
    }
    return all;
  }

  /** As one line, for another process. */
  public String line() {
    return "%s %s %s %s %s %s %s"
        .formatted(
            prefix,
            seed,
            count,
            begin.toEpochMilli(),
            span.sending().toMillis(),
            span.length().toMillis(),
            span.longest().toMillis());
  }

  public static Messages parse(String line) {
    String[] parts = line.split(" ");
    return new Messages(
        parts[0],
        Long.parseLong(parts[1]),
        Integer.parseInt(parts[2]),
        Instant.ofEpochMilli(Long.parseLong(parts[3])),
        new Span(millis(parts[4]), millis(parts[5]), millis(parts[6])));
  }

  private static Duration millis(String text) {
    return Duration.ofMillis(Long.parseLong(text));
  }
}
