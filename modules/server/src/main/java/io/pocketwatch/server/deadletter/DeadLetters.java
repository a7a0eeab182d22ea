// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.broker.PassiveDeclares;
import io.pocketwatch.server.broker.TolerantConnection;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one queue, to be shown, sent again or deleted. A message that is sent again is
 * taken out of the queue once a queue of its target has confirmed it. So a crash in between repeats
 * one and loses none. A message stays if it finds no target, is not due yet, or is addressed to one
 * of our queues. So does a copy that federation or a shovel has made of a message on its way.
 */
public final class DeadLetters implements AutoCloseable {
  private static final long CONFIRM_MILLIS = 30_000;

  /** Headers that a callback loses when it begins anew. */
  private static final Set<String> OF_EARLIER_TRIES =
      Set.of(
          DeadLetterQueue.REASON,
          Headers.ATTEMPTS,
          Headers.RETRIES,
          Headers.DEFERRED_UNTIL,
          "x-delivery-count",
          "x-acquired-count");

  private final Connection connection;
  private final Names names;
  private final DeadLetterQueue queue;
  private final Channel from;
  private final AtomicBoolean returned = new AtomicBoolean();

  /** Missing targets: further messages for them must not use up the time of the rest. */
  private final Set<List<String>> missing = new HashSet<>();

  private @Nullable Channel to;
  private long done;

  public DeadLetters(Connection connection, Names names, DeadLetterQueue queue) throws IOException {
    this.connection = connection;
    this.names = names;
    this.queue = queue;
    this.from = Channels.open(connection);
  }

  /**
   * The result of sending or deleting.
   *
   * @param sent how many were sent to their target, or deleted
   * @param left how many were left, by the reason
   * @param more whether further messages were not looked at
   */
  public record Result(long sent, Map<String, Long> left, boolean more) {}

  /** How many were sent or deleted, even if an exception has ended that. */
  public long done() {
    return done;
  }

  /** How many messages wait; 0 for a missing queue, which is declared once there is a message. */
  public long count() throws IOException {
    PassiveDeclares.Answer answer = new PassiveDeclares(connection).ask(queue.name());
    if (!answer.refusal().isEmpty() && !answer.isAbsent()) {
      throw new IOException(answer.refusal());
    }
    return answer.messages();
  }

  /**
   * Reads the first messages, which stay in the queue. Meanwhile no one else can take them.
   *
   * @param most at most so many
   * @param routes tell the route of a message
   */
  public List<DeadLetter> first(int most, DelayRoutes routes) throws IOException {
    Channel looking = Channels.open(connection);
    List<DeadLetter> found = new ArrayList<>();
    DeadLetterReasons reasons = new DeadLetterReasons(connection, names);
    try {
      while (found.size() < most) {
        GetResponse message = looking.basicGet(queue.name(), false);
        if (message == null) {
          break;
        }
        String reason = queue.origin() == null ? reasons.of(message) : null;
        found.add(DeadLetter.of(message, queue, routes, reason));
      }
    } finally {
      looking.abort(); // requeues them
    }
    return found;
  }

  /**
   * Sends the messages that wait now; each that stays is looked at once.
   *
   * @param ids only these; empty for all
   * @param goOn is told how many have been seen, and whether to go on
   */
  public Result send(Set<String> ids, LongPredicate goOn)
      throws IOException, TimeoutException, InterruptedException {
    return each(
        ids,
        goOn,
        (message, left) -> {
          String obstacle = send(message);
          if (obstacle != null) {
            left.merge(obstacle, 1L, Long::sum);
          }
          return obstacle == null;
        });
  }

  /** Deletes all waiting messages but those that another client has; returns how many. */
  public long delete() throws IOException {
    return count() == 0 ? 0 : from.queuePurge(queue.name()).getMessageCount();
  }

  /**
   * Deletes some of the messages that wait now.
   *
   * @param ids these
   * @param goOn is told how many have been seen, and whether to go on
   */
  public Result delete(Set<String> ids, LongPredicate goOn)
      throws IOException, TimeoutException, InterruptedException {
    return each(ids, goOn, (message, left) -> true);
  }

  private interface Work {
    /** Whether the message may leave the queue. */
    boolean on(GetResponse message, Map<String, Long> left)
        throws IOException, TimeoutException, InterruptedException;
  }

  private Result each(Set<String> ids, LongPredicate goOn, Work work)
      throws IOException, TimeoutException, InterruptedException {
    long count = count();
    long seen = 0;
    Map<String, Long> left = new TreeMap<>();
    while (seen < count && goOn.test(seen)) {
      GetResponse message = from.basicGet(queue.name(), false);
      if (message == null) {
        break; // another client has the rest just now
      }
      String id = Headers.id(message.getProps());
      if ((ids.isEmpty() || (id != null && ids.contains(id))) && work.on(message, left)) {
        from.basicAck(message.getEnvelope().getDeliveryTag(), false);
        done++;
      }
      seen++;
    }
    return new Result(done, left, seen < count);
  }

  private @Nullable String send(GetResponse message)
      throws IOException, TimeoutException, InterruptedException {
    if (queue.origin() != null && TolerantConnection.unreadable(message.getProps()) == null) {
      return publish("", queue.origin(), anew(message.getProps()), message.getBody());
    }
    ResendTarget target = ResendTarget.of(message, names, Instant.now());
    if (target.obstacle() != null) {
      return target.obstacle();
    }
    DelayedDelivery ours =
        DelayedDelivery.of(message.getEnvelope(), message.getProps()).orElseThrow();
    return publish(
        target.exchange(),
        target.routingKey(),
        ours.withoutDeadLetterHeaders(names.prefix()),
        message.getBody());
  }

  private static BasicProperties anew(BasicProperties properties) {
    Map<String, Object> headers =
        properties.getHeaders() == null ? new HashMap<>() : new HashMap<>(properties.getHeaders());
    headers.keySet().removeAll(OF_EARLIER_TRIES);
    return properties.builder().headers(headers).build();
  }

  /** Why the message could not be sent, or null if a queue has confirmed it. */
  private @Nullable String publish(
      String exchange, String key, BasicProperties properties, byte[] body)
      throws IOException, TimeoutException, InterruptedException {
    if (missing.contains(List.of(exchange, key))) {
      return DeadLetterReasons.unrouted(exchange, key);
    }
    if (to == null) {
      to = confirming();
    }
    try {
      returned.set(false);
      to.basicPublish(exchange, key, true, properties, body);
      boolean confirmed = to.waitForConfirms(CONFIRM_MILLIS);
      if (returned.get()) {
        missing.add(List.of(exchange, key));
        return DeadLetterReasons.unrouted(exchange, key);
      }
      return confirmed ? null : "refused by a queue of exchange '%s'".formatted(exchange);
    } catch (ShutdownSignalException e) {
      if (e.isHardError()) {
        throw e;
      }
      to = null; // closed for this message alone
      return ErrorWords.of(e);
    }
  }

  private Channel confirming() throws IOException {
    Channel channel = Channels.open(connection);
    channel.confirmSelect();
    channel.addReturnListener(back -> returned.set(true));
    return channel;
  }

  /** Closes the channels, so that unacknowledged messages are requeued. */
  @Override
  public void close() throws IOException {
    from.abort();
    if (to != null) {
      to.abort();
    }
  }
}
