// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.TerminalFailureException;

/**
 * Consumes queues and keeps what arrives, in order of arrival. Thread-safe. A wait ends as soon as
 * its condition holds; one that fails tells what has arrived so far.
 */
public final class Arrivals implements AutoCloseable {
  /** How long to wait for what must come: a deadline for a broken broker, not a lateness. */
  public static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How long nothing more may come for "no more" to be believed. */
  public static final Duration SETTLED = Duration.ofMillis(150);

  private final Channel channel;
  private final List<Arrival> all = Collections.synchronizedList(new ArrayList<>());

  private Arrivals(Connection connection, boolean reject, List<String> queues) throws IOException {
    channel = connection.createChannel();
    for (String queue : queues) {
      channel.basicConsume(
          queue,
          !reject,
          (tag, delivery) -> {
            all.add(new Arrival(queue, Instant.now(), delivery));
            if (reject) {
              channel.basicReject(delivery.getEnvelope().getDeliveryTag(), false);
            }
          },
          tag -> {});
    }
  }

  /** Starts to consume, on a channel of its own. */
  public static Arrivals at(Connection connection, List<String> queues) throws IOException {
    return new Arrivals(connection, false, queues);
  }

  /** Starts to consume one queue, on a channel of its own. */
  public static Arrivals at(Connection connection, String queue) throws IOException {
    return at(connection, List.of(queue));
  }

  /** As the others, but refuses every message for good, so that its queue dead-letters it. */
  public static Arrivals rejecting(Connection connection, List<String> queues) throws IOException {
    return new Arrivals(connection, true, queues);
  }

  /** What has arrived so far. */
  public List<Arrival> all() {
    return List.copyOf(all);
  }

  /** What has arrived so far from one of the queues. */
  public List<Arrival> from(String queue) {
    return all().stream().filter(arrival -> arrival.queue().equals(queue)).toList();
  }

  /** Waits until at least that many have arrived. */
  public List<Arrival> await(int count) {
    return await(count, PATIENCE);
  }

  /** Waits until at least that many have arrived, no longer than the patience. */
  public List<Arrival> await(int count, Duration patience) {
    try {
      watching().atMost(patience).until(() -> all.size() >= count);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(
          "%s of %s messages arrived within %s: %s".formatted(all.size(), count, patience, all()),
          e);
    }
    return all();
  }

  /** Waits until that many have arrived, and then for a moment sees that no more come. */
  public List<Arrival> awaitExactly(int count) {
    await(count);
    try {
      watching()
          .during(SETTLED)
          .atMost(PATIENCE)
          .failFast(() -> all.size() > count)
          .until(() -> all.size() == count);
    } catch (TerminalFailureException e) {
      throw new AssertionError(
          "%s messages arrived instead of %s: %s".formatted(all.size(), count, all()), e);
    }
    return all();
  }

  /** For a moment sees that nothing comes. */
  public void awaitNothing() {
    awaitExactly(0);
  }

  private static ConditionFactory watching() {
    return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10));
  }

  /** Stops consuming. */
  @Override
  public void close() throws IOException {
    channel.abort();
  }
}
