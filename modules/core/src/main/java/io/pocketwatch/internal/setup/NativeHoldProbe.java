// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.ConfirmChannel;
import io.pocketwatch.internal.amqp.UnconfirmedMessage;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.plan.DeliveryTime;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.topology.BccKeys;
import io.pocketwatch.internal.topology.HoldProbe;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.NativeQueues;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends one message of ours through each native hold queue, on the connection that is asked about.
 * The node of that connection stamps the time, and the queue heeds it or not. With a TTL of 1 ms it
 * comes back when it is due where both do, and at once anywhere else.
 */
public final class NativeHoldProbe {
  private static final Duration AHEAD = Duration.ofMillis(500);

  /** Older brokers answer after 5 to 114 ms. */
  private static final Duration EARLIEST = Duration.ofMillis(250);

  private static final Duration LATEST = AHEAD.plus(NativeHold.CLOCK_LIMIT);

  /** Somewhat more than a clock that is behind can make of it. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final AdminChannels admin;
  private final Names names;
  private final InstantSource clock;

  /**
   * @param clock the one that messages are planned by
   */
  public NativeHoldProbe(AdminChannels admin, Names names, InstantSource clock) {
    this.admin = admin;
    this.names = names;
    this.clock = clock;
  }

  /** Takes half a second where it works, and 3 s at most. Only with a right to configure queues. */
  NativeHold run(Connection connection) throws IOException, TimeoutException {
    String token = UUID.randomUUID().toString();
    List<Probe> probes = new ArrayList<>();
    for (int number = 0; number < NativeQueues.COUNT; number++) {
      probes.add(new Probe(number, token));
    }
    ConfirmChannel sending = ConfirmChannel.open(connection);
    Channel listening = null;
    try {
      listening = admin.callKeeping(channel -> listen(channel, token, probes));
      for (Probe probe : probes) {
        send(sending, probe, token);
      }
      return judge(probes);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for a probe message", e);
    } finally {
      sending.close();
      if (listening != null) {
        listening.abort(); // and its queue goes with the consumer
      }
    }
  }

  /**
   * One that comes later than we wait goes to the sink: nowhere it would be kept as undelivered.
   */
  private Channel listen(Channel channel, String token, List<Probe> probes) throws IOException {
    String queue = names.probe(token);
    channel.queueBind(names.sink(), names.deliver(), HoldProbe.TO_SINK);
    channel.queueDeclare(queue, false, true, true, Map.of("x-queue-type", "classic"));
    channel.queueBind(queue, names.deliver(), BccKeys.probe(token));
    channel.basicConsume(
        queue,
        true,
        (tag, delivery) -> {
          String id = delivery.getProperties().getMessageId();
          probes.stream()
              .filter(probe -> probe.id.equals(id))
              .forEach(probe -> probe.arrived.complete(System.nanoTime()));
        },
        tag -> {});
    return channel;
  }

  private void send(ConfirmChannel channel, Probe probe, String token) {
    String key = BccKeys.nativeQueue(probe.number);
    long dueMillis = clock.instant().plus(AHEAD).toEpochMilli();
    probe.sentAt = System.nanoTime();
    BasicProperties properties =
        new BasicProperties.Builder()
            .deliveryMode(2)
            .messageId(probe.id)
            .priority(HoldProbe.TOP_LANE)
            .expiration("1")
            .headers(
                Map.of(
                    DeliveryTime.HEADER,
                    dueMillis,
                    "BCC",
                    List.of(BccKeys.probe(token), HoldProbe.TO_SINK)))
            .build();
    PublishPlan plan =
        new PublishPlan(
            probe.id,
            "probe",
            DelayStrategy.IMMEDIATE,
            "probe",
            clock.instant(),
            Duration.ZERO,
            List.of(),
            null,
            names.nativeExchange(),
            key,
            HoldQueueType.QUORUM,
            true,
            properties);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    channel.publish(new UnconfirmedMessage(plan, new byte[0], deadline, probe::answered));
  }

  private NativeHold judge(List<Probe> probes) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    List<Duration> ahead = new ArrayList<>();
    for (Probe probe : probes) {
      String queue = names.nativeQueue(probe.number);
      Duration took;
      try {
        long left = Math.max(0, until - System.nanoTime());
        long arrived = probe.arrived.get(left, TimeUnit.NANOSECONDS);
        took = Duration.ofNanos(arrived - probe.sentAt);
      } catch (TimeoutException e) {
        return NativeHold.notUsable(
            "a probe did not come back from %s within %d s".formatted(queue, PATIENCE.toSeconds()),
            null);
      } catch (ExecutionException e) {
        return NativeHold.notUsable(
            "a probe was not taken by %s: %s"
                .formatted(queue, ErrorWords.of(e.getCause() == null ? e : e.getCause())),
            null);
      }
      if (took.compareTo(EARLIEST) < 0) {
        return NativeHold.notUsable(
            "%s let go after %d ms of what was for half a second later, as before RabbitMQ 4.4"
                .formatted(queue, took.toMillis()),
            null);
      }
      Duration offset = AHEAD.minus(took);
      if (took.compareTo(LATEST) > 0) {
        return NativeHold.notUsable(
            "the clock of the node that leads %s is %d ms behind this machine's, or it is as slow"
                .formatted(queue, -offset.toMillis()),
            offset);
      }
      ahead.add(offset);
    }
    return NativeHold.usable(
        ahead.stream().max(Comparator.comparing(Duration::abs)).orElse(Duration.ZERO));
  }

  /** One message, until it has come back or is known not to come. */
  private static final class Probe {
    private final int number;
    private final String id;
    private final CompletableFuture<Long> arrived = new CompletableFuture<>();
    private volatile long sentAt;

    Probe(int number, String token) {
      this.number = number;
      this.id = token + "-" + number;
    }

    void answered(PublishReceipt receipt) {
      if (!receipt.confirmed()) {
        arrived.completeExceptionally(new IOException(receipt.outcome() + " " + receipt.detail()));
      }
    }
  }
}
