// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Declares exchanges and queues for one test under names nobody else uses, and deletes them again.
 * Durable, because that is what applications have. For one thread.
 */
public final class Targets implements AutoCloseable {
  private static final AtomicLong NUMBER = new AtomicLong();
  private static final String RUN = Long.toString(System.nanoTime(), Character.MAX_RADIX);

  private final Connection connection;
  private final Channel channel;
  private final Deque<Undo> undo = new ArrayDeque<>();

  public Targets(Connection connection) throws IOException {
    this.connection = connection;
    this.channel = connection.createChannel();
  }

  /** A name of its own that begins with the hint. */
  public static String name(String hint) {
    return hint + "-" + RUN + "-" + NUMBER.incrementAndGet();
  }

  /** The connection the queues are declared and consumed on. */
  public Connection connection() {
    return connection;
  }

  /** Declares an exchange. */
  public String exchange(BuiltinExchangeType type) throws IOException {
    return exchange(name(type.name().toLowerCase(Locale.ROOT)), type);
  }

  /** Declares an exchange of that very name. */
  public String exchange(String name, BuiltinExchangeType type) throws IOException {
    channel.exchangeDeclare(name, type, true);
    undo.push(() -> channel.exchangeDelete(name));
    return name;
  }

  /** Declares a queue. */
  public String queue(QueueType type) throws IOException {
    return queue(name(type.argument()), type, Map.of());
  }

  /** Declares a queue of that very name with further arguments. */
  public String queue(String name, QueueType type, Map<String, Object> arguments)
      throws IOException {
    Map<String, Object> all = new HashMap<>(arguments);
    all.put("x-queue-type", type.argument());
    channel.queueDeclare(name, true, false, false, all);
    undo.push(() -> channel.queueDelete(name));
    return name;
  }

  /** Binds a queue. */
  public void bind(String queue, String exchange, String key) throws IOException {
    bind(queue, exchange, key, Map.of());
  }

  /** Binds a queue with arguments. */
  public void bind(String queue, String exchange, String key, Map<String, Object> arguments)
      throws IOException {
    channel.queueBind(queue, exchange, key, arguments);
  }

  /** Binds an exchange to another. */
  public void bindExchange(String to, String from, String key) throws IOException {
    channel.exchangeBind(to, from, key);
  }

  /** Starts to consume; ends with this. */
  public Arrivals arrivals(List<String> queues) throws IOException {
    Arrivals arrivals = Arrivals.at(connection, queues);
    undo.push(arrivals::close);
    return arrivals;
  }

  /** Deletes what was declared, latest first. */
  @Override
  public void close() throws IOException, TimeoutException {
    while (!undo.isEmpty()) {
      undo.pop().run();
    }
    channel.close();
  }

  @FunctionalInterface
  private interface Undo {
    void run() throws IOException;
  }
}
