// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Time that a test can move, for messages that wait:
 *
 * <pre>{@code
 * assertThat(pocketwatch.advance(Duration.ofMinutes(29))).isZero();
 * assertThat(pocketwatch.advance(Duration.ofMinutes(1))).isOne();
 * }</pre>
 *
 * <p>No clock is set. Every message that waits becomes due so much earlier. In the store its row is
 * changed; on the broker it is taken out of its hold queue and published anew. Messages on the
 * broker that are due by that go to their target at once; stored ones go when a loader polls,
 * within a second. Messages that are sent later are not affected.
 *
 * <p>A message with {@code tracking: full} is claimed two seconds before it is due. Then it is
 * counted, too, once, and sent once: at its old instant, with that {@code deliverAt}. A message on
 * its way from the store to a hold queue is waited for.
 *
 * <p>It moves messages in TTL queues, the wheel and the store, retries included. It cannot move
 * messages held by {@code DELIVERY_TIME} or the plugin's exchange, nor schedules. For temporary
 * queues it needs a broker from this library. A moved message has lost its own {@code BCC} keys.
 * {@link DelayedPublisher#cancel} finds one in a temporary queue only by its new instant.
 *
 * <p>Thread-safe. For tests only: a message may come twice if the test is ended half-way.
 */
public final class TestTime {
  static final String NAME = "pocketwatch test";
  private static final Duration LONGEST = Duration.ofDays(3_653);

  /** How long to wait for hand-offs: a wheel may have to be declared first. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final DelayedPublisher publisher;
  private final Connecting broker;
  private final HeldMessages held;

  /** How the broker is reached. */
  @FunctionalInterface
  interface Connecting {
    Connection open() throws IOException, TimeoutException;
  }

  /**
   * @param queues all queues of the virtual host, in the management API's JSON; empty if unknown
   */
  TestTime(DelayedPublisher publisher, Connecting broker, Supplier<Optional<String>> queues) {
    this.publisher = publisher;
    this.broker = broker;
    this.held = new HeldMessages(publisher, queues);
  }

  /**
   * Time of a broker that the test provides itself.
   *
   * @param publisher its routes name the hold queues; messages in its store are moved too, which
   *     must be a {@code JdbcDelayStore} if there is one
   * @param factory for connections to the broker that holds its messages
   */
  public static TestTime of(DelayedPublisher publisher, ConnectionFactory factory) {
    ConnectionFactory own = factory.clone();
    return new TestTime(publisher, () -> own.newConnection(NAME), Optional::empty);
  }

  /**
   * Lets time pass for all messages that wait.
   *
   * @param time more than zero, to the millisecond, up to ten years
   * @return how many messages are due by that, and were not before
   * @throws IllegalStateException if the broker refuses something, for example because a message
   *     has no target. Also if after 10 s some are still on their way from the store to a hold
   *     queue. Messages that were not moved are where they were
   */
  public synchronized int advance(Duration time) {
    if (time.toMillis() < 1 || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "time cannot be moved by %s; allowed: 1 ms to %s days".formatted(time, LONGEST.toDays()));
    }
    // First the broker: otherwise a row that is claimed in between would be moved twice.
    int due = onBroker(connection -> held.advance(connection, time));
    return due + StoredMessages.advance(publisher, time);
  }

  /**
   * Throws away all messages that wait, between tests that share a broker or an application
   * context. Messages of the store are deleted, also those that are finished, so that the next test
   * can use their ids. Call it when nothing is being handled. What is due within two seconds may
   * come all the same. Target queues and schedules are left as they are.
   *
   * @throws IllegalStateException as {@link #advance}
   */
  public synchronized void clear() {
    onBroker(
        connection -> {
          held.clear(connection);
          return 0;
        });
    StoredMessages.clear(publisher);
  }

  /**
   * Describes what waits: the number of messages in each hold queue, and the first 100 rows of the
   * store. For the description of an assertion: {@code
   * assertThat(pocketwatch.advance(time)).as(pocketwatch::waiting).isOne()}.
   *
   * @throws IllegalStateException as {@link #advance}
   */
  public synchronized String waiting() {
    List<String> waiting = new ArrayList<>(onBroker(held::waiting));
    waiting.addAll(StoredMessages.waiting(publisher));
    return waiting.isEmpty() ? "nothing waits" : "what waits:\n  " + String.join("\n  ", waiting);
  }

  private <T> T onBroker(Channels.Work<T> work) {
    try {
      return Channels.use(
          broker.open(),
          connection -> {
            StoredMessages.awaitHandOffs(publisher, PATIENCE);
            return work.over(connection);
          });
    } catch (IOException | TimeoutException e) {
      throw new IllegalStateException("time could not be moved: " + ErrorWords.of(e), e);
    }
  }
}
