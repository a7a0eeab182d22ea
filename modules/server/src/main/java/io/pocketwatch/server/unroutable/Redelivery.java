// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.unroutable;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.broker.Refusal;
import io.pocketwatch.server.broker.TolerantConnection;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends each message of a queue to the exchange it was addressed to. A message is taken out of the
 * queue once a queue of its target has confirmed it. So a crash in between repeats one and loses
 * none. A message that finds no target stays where it was.
 */
public final class Redelivery implements AutoCloseable {
  private static final long CONFIRM_MILLIS = 30_000;

  private final Connection connection;
  private final Names names;
  private final Channel from;
  private final AtomicBoolean returned = new AtomicBoolean();
  private Channel to;

  public Redelivery(Connection connection, Names names) throws IOException {
    this.connection = connection;
    this.names = names;
    this.from = connection.createChannel();
    this.to = confirming();
  }

  /**
   * What became of them.
   *
   * @param sent how many are with their target now
   * @param left how many are not, by the reason
   */
  public record Result(long sent, Map<String, Long> left) {}

  /** How many wait. */
  public long count() throws IOException {
    return from.messageCount(names.unroutable());
  }

  /**
   * Goes on where an earlier call has ended.
   *
   * @param count at most so many: what stays is seen once
   * @param progress is told how many have been seen
   */
  public Result send(long count, LongConsumer progress)
      throws IOException, TimeoutException, InterruptedException {
    long sent = 0;
    Map<String, Long> left = new TreeMap<>();
    for (long seen = 1; seen <= count; seen++) {
      GetResponse message = from.basicGet(names.unroutable(), false);
      if (message == null) {
        break;
      }
      String obstacle = send(message);
      if (obstacle == null) {
        from.basicAck(message.getEnvelope().getDeliveryTag(), false);
        sent++;
      } else {
        left.merge(obstacle, 1L, Long::sum);
      }
      progress.accept(seen);
    }
    return new Result(sent, left);
  }

  private @Nullable String send(GetResponse message)
      throws IOException, TimeoutException, InterruptedException {
    Optional<DelayedDelivery> ours = DelayedDelivery.of(message.getEnvelope(), message.getProps());
    if (TolerantConnection.unreadable(message.getProps()) != null) {
      return "not readable, as the header %s says".formatted(TolerantConnection.UNREADABLE);
    }
    if (ours.isEmpty()) {
      return "not sent by Pocketwatch";
    }
    String exchange = ours.get().exchange();
    String key = ours.get().routingKey();
    BasicProperties properties = ours.get().withoutDeadLetterHeaders(names.prefix());
    try {
      returned.set(false);
      to.basicPublish(exchange, key, true, properties, message.getBody());
      boolean confirmed = to.waitForConfirms(CONFIRM_MILLIS);
      if (returned.get()) {
        return exchange.isEmpty()
            ? "there is no queue '%s'".formatted(key)
            : "no queue is bound to exchange '%s' for routing key '%s'".formatted(exchange, key);
      }
      return confirmed ? null : "refused by a queue of exchange '%s'".formatted(exchange);
    } catch (ShutdownSignalException e) {
      if (e.isHardError()) {
        throw e;
      }
      to = confirming(); // closed for this message alone
      return Refusal.words(e);
    }
  }

  private Channel confirming() throws IOException {
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    channel.addReturnListener(back -> returned.set(true));
    return channel;
  }

  /** What was not acknowledged is in the queue again. */
  @Override
  public void close() throws IOException {
    from.abort();
    to.abort();
  }
}
