// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Threads;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.spi.TolerantConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages that broke a consumer's connection out of its queue, before they break the next.
 */
public final class UnreadableMessages implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UnreadableMessages.class);
  private static final int THREADS = 4;

  /** The broker hands it out again as soon as it notices that the connection is closed. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /** Others may follow it. */
  private static final Duration FOLLOWING = Duration.ofMillis(300);

  /** What was sent ahead to the broken connection stands before the queue's other messages. */
  private static final int AHEAD = 1_000;

  /** It comes to us, and to no other consumer. */
  private static final Map<String, Object> FIRST = Map.of("x-priority", 1_000);

  private final Connections connections;
  private final String kept;
  private final Set<String> queues = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          10,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Threads.named("pocketwatch-unreadable"));

  public UnreadableMessages(Connections connections, Names names) {
    this.connections = connections;
    this.kept = names.unroutable();
    threads.allowCoreThreadTimeOut(true);
  }

  /** Begins at once, unless it is at that queue already. */
  public void remove(String queue) {
    if (!queues.add(queue)) {
      return;
    }
    try {
      threads.execute(() -> look(queue));
    } catch (RejectedExecutionException e) {
      LOG.debug("The publisher is closed; what broke a connection stays in {}", queue, e);
    }
  }

  private void look(String queue) {
    try {
      int removed = removeNow(queue);
      if (removed > 0) {
        LOG.warn(
            "{} of {} broke a connection: no Java client can read them. They are in {} now",
            removed == 1 ? "1 message" : removed + " messages",
            queue,
            kept);
      }
    } catch (IOException | TimeoutException | RuntimeException e) {
      LOG.warn(
          "What broke a connection stays in {}, and may break the next: {}",
          queue,
          ErrorWords.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      queues.remove(queue);
    }
  }

  private int removeNow(String queue) throws IOException, TimeoutException, InterruptedException {
    Connection connection = connections.openTolerant("unreadable");
    try {
      Channel keeping = connection.createChannel();
      keeping.confirmSelect();
      AtomicBoolean returned = new AtomicBoolean();
      keeping.addReturnListener(back -> returned.set(true));
      Channel channel = connection.createChannel();
      BlockingQueue<Delivery> arrived = new LinkedBlockingQueue<>();
      channel.basicQos(AHEAD);
      String tag =
          channel.basicConsume(
              queue,
              false,
              FIRST,
              (consumer, delivery) -> arrived.add(bodyIfUnreadable(delivery)),
              consumer -> {});
      int removed = 0;
      long last = 0;
      long end = System.nanoTime() + PATIENCE.toNanos();
      for (long left; (left = end - System.nanoTime()) > 0; ) {
        Delivery delivery = arrived.poll(left, TimeUnit.NANOSECONDS);
        if (delivery == null) {
          break;
        }
        long number = delivery.getEnvelope().getDeliveryTag();
        String why = TolerantConnection.unreadable(delivery.getProperties());
        if (why == null) {
          last = number;
          continue;
        }
        BasicProperties properties = kept(delivery, queue + ": " + why);
        keeping.basicPublish(kept, queue, true, properties, delivery.getBody());
        if (!keeping.waitForConfirms(PATIENCE.toMillis()) || returned.get()) {
          throw new IOException(kept + " is not there, or does not take it");
        }
        channel.basicAck(number, false);
        removed++;
        end = System.nanoTime() + FOLLOWING.toNanos();
      }
      channel.basicCancel(tag);
      if (last > 0) {
        channel.basicNack(last, true, true); // a nack is counted less than a lost connection
      }
      channel.close();
      return removed;
    } catch (ShutdownSignalException e) {
      throw new IOException(e);
    } finally {
      connection.abort(Math.toIntExact(PATIENCE.toMillis()));
    }
  }

  /** The others wait here only to be returned, a thousand of them. */
  private static Delivery bodyIfUnreadable(Delivery delivery) {
    return TolerantConnection.unreadable(delivery.getProperties()) != null
        ? delivery
        : new Delivery(delivery.getEnvelope(), delivery.getProperties(), new byte[0]);
  }

  private static BasicProperties kept(Delivery delivery, String why) {
    Map<String, Object> headers = new HashMap<>(delivery.getProperties().getHeaders());
    headers.put(Headers.UNREADABLE, why);
    return new BasicProperties.Builder().headers(headers).deliveryMode(2).build();
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
