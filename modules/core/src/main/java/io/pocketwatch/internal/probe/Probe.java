// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.probe;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.BrokerClock;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.topology.BccKeys;
import io.pocketwatch.internal.topology.Names;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages of ours and sees what becomes of them: whether the broker takes each, and whether
 * it comes back from what holds it. They come back to a queue of the probe's own, which goes with
 * the probe. What comes later ends in the sink, as it would be kept as undelivered otherwise. One
 * thread uses it.
 */
public final class Probe implements AutoCloseable {
  /** By this priority a message passes what waits in a quorum queue, from RabbitMQ 4.0 on. */
  public static final int TOP_LANE = 31;

  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  private final Connection connection;
  private final Channel sending;
  private final Scheduler scheduler;
  private final BlockedListener blockedListener;
  private final String token = UUID.randomUUID().toString();
  private final Map<String, Message> messages = new ConcurrentHashMap<>();
  private final NavigableMap<Long, Message> unanswered = new ConcurrentSkipListMap<>();
  private final CompletableFuture<Object> lost = new CompletableFuture<>();
  private volatile @Nullable String blocked;
  private @Nullable Channel listening;

  private Probe(Connection connection, Channel sending, Scheduler scheduler) {
    this.connection = connection;
    this.sending = sending;
    this.scheduler = scheduler;
    this.blockedListener =
        connection.addBlockedListener(why -> blocked = why, () -> blocked = null);
    sending.addConfirmListener(
        (number, multiple) -> answered(number, multiple, State.TAKEN),
        (number, multiple) -> answered(number, multiple, State.REFUSED));
    sending.addReturnListener(
        back -> message(back.getProperties()).becomes(State.RETURNED, 0, Map.of()));
    sending.addShutdownListener(lost::completeExceptionally);
  }

  /** One that sends on a channel of its own of that connection. */
  public static Probe on(Connection connection, Scheduler scheduler) throws IOException {
    try {
      Channel channel = Channels.open(connection);
      channel.confirmSelect();
      return new Probe(connection, channel, scheduler);
    } catch (ShutdownSignalException e) {
      throw lost(e);
    }
  }

  /**
   * Has what is released come back.
   *
   * @return the channel, which the probe aborts
   */
  public Channel listen(Channel channel, Names names) throws IOException {
    listening = channel;
    channel.addShutdownListener(lost::completeExceptionally);
    channel.queueBind(names.sink(), names.deliver(), BccKeys.TO_SINK);
    String queue = consume(channel, names, this::arrived);
    channel.queueBind(queue, names.deliver(), BccKeys.probe(token));
    return channel;
  }

  /** Declares the queue of this probe, to which nothing leads yet, and returns its name. */
  String consume(Channel channel, Names names, Consumer<Delivery> whenArrived) throws IOException {
    String queue = names.probe(token); // under our prefix, for which there is a permission
    channel.queueDeclare(queue, false, true, true, Map.of("x-queue-type", "classic"));
    channel.basicConsume(queue, true, (tag, each) -> whenArrived.accept(each), tag -> {});
    return queue;
  }

  /** The value of {@code BCC} that leads a message through these holds, and then back. */
  public List<String> back(List<String> holds) {
    List<String> steering = new ArrayList<>(holds);
    steering.add(BccKeys.probe(token));
    steering.add(BccKeys.TO_SINK);
    return steering;
  }

  /**
   * Sends one.
   *
   * @param id which no other of this probe has
   */
  public void send(
      String id, String exchange, String routingKey, BasicProperties.Builder properties)
      throws IOException {
    Message message = new Message(scheduler.nanoTime());
    messages.put(id, message);
    try {
      unanswered.put(sending.getNextPublishSeqNo(), message);
      BasicProperties sent = properties.messageId(id).deliveryMode(2).build();
      Map<String, Object> headers = new HashMap<>();
      headers.put(Headers.EXCHANGE, ""); // without it, it would be kept instead of returned
      if (sent.getHeaders() != null) {
        headers.putAll(sent.getHeaders());
      }
      sending.basicPublish(
          exchange, routingKey, true, sent.builder().headers(headers).build(), new byte[0]);
    } catch (ShutdownSignalException e) {
      throw lost(e);
    }
  }

  /**
   * Waits until all that were sent have been answered for, and have come back.
   *
   * @param back whether they should; otherwise only answers are waited for
   * @return what became of each by then, by its id
   * @throws PublishersBlockedException if the broker takes no messages for now
   * @throws IOException if a connection is lost
   */
  public Map<String, Answer> await(Duration patience, boolean back)
      throws IOException, InterruptedException {
    CompletableFuture<?>[] ends =
        messages.values().stream()
            .map(each -> back ? each.back : each.answered)
            .toArray(CompletableFuture[]::new);
    CompletableFuture<Object> end = CompletableFuture.anyOf(CompletableFuture.allOf(ends), lost);
    long until = scheduler.nanoTime() + patience.toNanos();
    long left = patience.toNanos();
    while (left > 0) {
      try {
        scheduler.await(end, Duration.ofNanos(Math.min(left, LOOK_EVERY.toNanos())));
        left = 0;
      } catch (TimeoutException e) {
        String why = blocked; // it says so when a connection begins to publish, not before
        if (why != null && !unanswered.isEmpty()) {
          throw new PublishersBlockedException(why);
        }
        left = until - scheduler.nanoTime();
      } catch (ExecutionException e) {
        throw lost(e.getCause() == null ? e : e.getCause());
      }
    }
    Map<String, Answer> answers = new HashMap<>();
    messages.forEach((id, message) -> answers.put(id, message.answer()));
    return answers;
  }

  private static IOException lost(Throwable why) {
    return new IOException("lost while probing: " + ErrorWords.of(why), why);
  }

  private void answered(long number, boolean multiple, State state) {
    NavigableMap<Long, Message> these =
        unanswered.subMap(multiple ? 0 : number, true, number, true);
    these.values().forEach(each -> each.becomes(state, 0, Map.of()));
    these.clear();
  }

  private void arrived(Delivery delivery) {
    Map<String, Object> headers = delivery.getProperties().getHeaders();
    message(delivery.getProperties())
        .becomes(State.ARRIVED, scheduler.nanoTime(), headers == null ? Map.of() : headers);
  }

  /** One of nobody's, if somebody else has sent it here. */
  private Message message(BasicProperties properties) {
    return messages.getOrDefault(String.valueOf(properties.getMessageId()), new Message(0));
  }

  /** Whether the broker reads what is sent; otherwise it reads no goodbye, and one would wait. */
  boolean isRead() {
    return unanswered.isEmpty() && blocked == null;
  }

  @Override
  public void close() throws IOException {
    connection.removeBlockedListener(blockedListener);
    if (isRead()) {
      sending.abort();
    }
    Channel own = listening;
    if (own != null) {
      own.abort(); // and its queue goes with the consumer
    }
  }

  /** What is known of a message. */
  public enum State {
    /** No answer came. */
    SILENT,
    /** The broker has taken it; it has not come back. */
    TAKEN,
    REFUSED,
    /** No queue was there, or bound. */
    RETURNED,
    ARRIVED
  }

  /**
   * What became of one message.
   *
   * @param sent when it was, by this machine's clock
   * @param took how long it was away; zero if it has not come back
   * @param headers with which it came
   */
  public record Answer(State state, Instant sent, Duration took, Map<String, Object> headers) {
    /** What it shows of the node that leads the queue through which it came. */
    public Optional<BrokerClock> clock(String queue) {
      return BrokerClock.of(headers, queue, sent, sent.plus(took));
    }
  }

  private static final class Message {
    private final CompletableFuture<Void> answered = new CompletableFuture<>();
    private final CompletableFuture<Void> back = new CompletableFuture<>();
    private final long sent;
    private Answer answer = new Answer(State.SILENT, Instant.now(), Duration.ZERO, Map.of());

    Message(long sent) {
      this.sent = sent;
    }

    void becomes(State state, long now, Map<String, Object> headers) {
      synchronized (this) {
        if (state.compareTo(answer.state) <= 0) {
          return;
        }
        Duration took = Duration.ofNanos(state == State.ARRIVED ? now - sent : 0);
        answer = new Answer(state, answer.sent, took, headers);
      }
      answered.complete(null);
      if (state != State.TAKEN) {
        back.complete(null);
      }
    }

    synchronized Answer answer() {
      return answer;
    }
  }
}
