// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults.account;

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
 * @param length from the first message to the last instant
 */
public record Messages(String prefix, long seed, int count, Instant begin, Duration length) {
  /** Messages are sent in the first part of a round, and due until its end. */
  private static final double SENDING = 0.7;

  private static final long LEAST_DELAY_MILLIS = 1_000;

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

  public List<Message> all() {
    Random random = new Random(seed);
    List<Message> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Lane lane = Lane.random(random);
      long at = (long) (length.toMillis() * SENDING * i / count);
      long most = Math.max(0, length.toMillis() - at - LEAST_DELAY_MILLIS);
      Duration any = Duration.ofMillis(LEAST_DELAY_MILLIS + (long) (random.nextDouble() * most));
      Duration configured = Lane.DELAYS.get(random.nextInt(Lane.DELAYS.size()));
      Duration delay = lane.way() == Lane.Way.TTL ? configured : any;
      all.add(new Message(prefix + i, lane, begin.plusMillis(at), delay));
    }
    return all;
  }

  /** As one line, for another process. */
  public String line() {
    return "%s %d %d %d %d".formatted(prefix, seed, count, begin.toEpochMilli(), length.toMillis());
  }

  public static Messages parse(String line) {
    String[] parts = line.split(" ");
    return new Messages(
        parts[0],
        Long.parseLong(parts[1]),
        Integer.parseInt(parts[2]),
        Instant.ofEpochMilli(Long.parseLong(parts[3])),
        Duration.ofMillis(Long.parseLong(parts[4])));
  }
}
