// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.probe;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.topology.BccKeys;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Finds policies that change queues named like ours, where no argument of ours overrides them. AMQP
 * does not show policies, only their effects: on a hold queue of each type with room for one
 * message, and on the sink.
 *
 * <p>It uses a connection of the caller's, on which nothing else may publish: a broker that blocks
 * publishers stops reading from it. Closing it deletes what it declared; what a lost connection
 * leaves expires within a minute. Not thread-safe.
 */
public final class PolicyProbe implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** A quorum queue takes some messages beyond its limit, before publishers know of it. */
  private static final int MOST_OVER_LIMIT = 10;

  private static final String EXPIRED = "expired";
  private static final String OVER_LIMIT = "maxlen";

  private final Connection connection;
  private final Names names;
  private final String token;
  private final Channel channel;
  private final Probe probe;
  private final BlockingQueue<Left> left = new LinkedBlockingQueue<>();
  private final Map<String, String> effects = new TreeMap<>();
  private final Set<HoldQueueType> types =
      EnumSet.of(HoldQueueType.QUORUM); // the type of the sink and of parked messages' queues
  private int sent;
  private long heldSince;

  /**
   * @param token a part of the declared names. Use one per process: the broker keeps the name of
   *     each quorum queue in memory until it is restarted
   * @param hold the names and types of the hold queues
   * @throws IOException if the broker refuses it, or cannot be asked
   */
  public PolicyProbe(Connection connection, HoldOptions hold, String token, Scheduler scheduler)
      throws IOException {
    this.connection = connection;
    this.names = new Names(hold.namePrefix());
    this.token = token;
    types.add(hold.wheel().queues().type());
    types.add(hold.ttlQueues().type());
    types.add(hold.temporaryQueues().queues().type());
    this.channel = Channels.open(connection);
    this.probe = Probe.on(connection, scheduler);
  }

  /** What left a probe's queue: why, and under which key. */
  private record Left(String reason, String key) {
    static Left of(Delivery delivery) {
      Map<String, Object> headers = delivery.getProperties().getHeaders();
      Object reason = headers == null ? null : headers.get("x-first-death-reason");
      return new Left(String.valueOf(reason), delivery.getEnvelope().getRoutingKey());
    }
  }

  /**
   * Begins; some ten round trips. The sink need not be there yet.
   *
   * @throws IOException if the broker refuses it, or cannot be asked
   */
  public void begin() throws IOException, InterruptedException {
    try {
      listen();
      for (HoldQueueType type : types) {
        fill(type);
        takeOne(type);
      }
      heldSince = System.nanoTime();
      for (HoldQueueType type : types) {
        hold(type);
      }
    } catch (AlreadyClosedException e) {
      throw new IOException(e);
    }
  }

  /**
   * Ends what was begun, when everything of ours is declared.
   *
   * @param held for how long at least the probe's message is to be held; a policy's {@code
   *     message-ttl} that is longer is not seen
   * @return what policies do and what helps, for a person; empty if they do no harm
   * @throws IOException if the broker refuses it, or cannot be asked
   */
  public Optional<String> end(Duration held) throws IOException, InterruptedException {
    try {
      trySink();
      long rest = held.toNanos() - (System.nanoTime() - heldSince);
      Left next = left.poll(Math.max(0, rest), TimeUnit.NANOSECONDS);
      while (next != null) {
        judge(next);
        next = left.poll();
      }
      return effects.isEmpty() ? Optional.empty() : Optional.of(words());
    } catch (AlreadyClosedException e) {
      throw new IOException(e);
    }
  }

  private void listen() throws IOException {
    channel.exchangeDeclare(in(), "direct", false, true, Map.of());
    channel.exchangeDeclare(out(), "fanout", false, true, Map.of());
    channel.queueBind(probe.consume(channel, names, each -> left.add(Left.of(each))), out(), "");
  }

  /** A full queue has to refuse. One that drops the oldest instead passes that on at once. */
  private void fill(HoldQueueType type) throws IOException, InterruptedException {
    QueueSpec queue = QueueSpec.policyProbe(queue(type), type, out());
    channel.queueDeclare(queue.name(), true, false, false, queue.arguments());
    channel.queueBind(queue.name(), in(), key(type));
    for (int i = 0; i < MOST_OVER_LIMIT && taken(in(), key(type)); i++) {
      Left dropped = left.peek();
      if (dropped != null && dropped.reason.equals(OVER_LIMIT)) {
        return;
      }
    }
  }

  /** Takes one out and refuses it, and so sees under which key it is passed on. */
  private void takeOne(HoldQueueType type) throws IOException, InterruptedException {
    GetResponse message = channel.basicGet(queue(type), false);
    if (message == null) {
      return; // a policy leaves no room for one, and publishers hear of that
    }
    channel.basicReject(message.getEnvelope().getDeliveryTag(), false);
    Left passed = left.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    if (passed != null) {
      judge(passed);
    }
  }

  /** That one is in it from now on, however long the steps before have taken. */
  private void hold(HoldQueueType type) throws IOException, InterruptedException {
    taken(in(), key(type));
  }

  /** It has to take everything, though it keeps nothing. */
  private void trySink() throws IOException, InterruptedException {
    try {
      channel.queueBind(names.sink(), names.deliver(), BccKeys.TO_SINK);
    } catch (IOException e) {
      if (!String.valueOf(e.getCause()).contains("NOT_FOUND - no queue")) {
        throw e;
      }
      effect("expires", "the sink is gone, as what nobody consumes from goes with 'expires'");
      return;
    }
    for (int i = 0; i < MOST_OVER_LIMIT; i++) {
      if (!taken(names.deliver(), BccKeys.TO_SINK)) {
        effect(
            "overflow",
            "the sink may refuse messages (overflow), so hold queues would keep what they have"
                + " delivered and come to a halt");
        return;
      }
    }
  }

  private void judge(Left message) {
    switch (message.reason) {
      case OVER_LIMIT ->
          effect(
              "overflow",
              "full hold queues drop their oldest messages (overflow), which would be early, or"
                  + " lost in a crash");
      case EXPIRED ->
          effect(
              "message-ttl", "messages are held for less long (message-ttl), and would be early");
      default -> {}
    }
    if (!message.key.equals(key(HoldQueueType.QUORUM))
        && !message.key.equals(key(HoldQueueType.CLASSIC))) {
      effect(
          "dead-letter-routing-key",
          "messages lose their keys (dead-letter-routing-key '%s'), and would not arrive"
              .formatted(message.key));
    }
  }

  private void effect(String key, String words) {
    effects.putIfAbsent(key, words);
  }

  private String words() {
    return "policies of the broker reach our queues: "
        + String.join("; ", effects.values())
        + ". Give '^%s\\.' a policy of its own with the highest priority, and keep operator"
            .formatted(names.prefix())
        + " policies off it: see 'Policies' in modules/docs/operate/install.md";
  }

  private boolean taken(String exchange, String key) throws IOException, InterruptedException {
    String id = token + "-" + sent++;
    probe.send(id, exchange, key, new BasicProperties.Builder());
    return switch (Objects.requireNonNull(probe.await(PATIENCE, false).get(id)).state()) {
      case SILENT ->
          throw new IOException("no answer to a probe within %s s".formatted(PATIENCE.toSeconds()));
      case REFUSED -> false;
      case TAKEN, RETURNED, ARRIVED -> true;
    };
  }

  private String in() {
    return names.probe(token) + ".in";
  }

  private String out() {
    return names.probe(token) + ".out";
  }

  private String queue(HoldQueueType type) {
    return names.probe(token) + "." + key(type);
  }

  private static String key(HoldQueueType type) {
    return type.argument();
  }

  /**
   * Leaves nothing on the broker, begun, ended or failed. Where it reads no more, it hears of that
   * when it reads again, and channels are left to their connection. What a lost connection leaves
   * goes by its expiry.
   */
  @Override
  public void close() throws IOException {
    Channel open = channel;
    try {
      if (!probe.isRead()) {
        for (HoldQueueType type : types) {
          open.queueDeleteNoWait(queue(type), false, false);
        }
        open.exchangeDeleteNoWait(in(), false);
        open.exchangeDeleteNoWait(out(), false);
        return;
      }
      if (!open.isOpen()) { // by a question to which the broker said no
        open = Channels.open(connection);
      }
      for (HoldQueueType type : types) {
        open.queueDelete(queue(type));
      }
      open.exchangeDelete(in()); // one that nothing was ever bound to does not go by itself
      open.exchangeDelete(out());
      open.abort();
    } catch (AlreadyClosedException e) {
      throw new IOException(e);
    } finally {
      probe.close();
    }
  }
}
