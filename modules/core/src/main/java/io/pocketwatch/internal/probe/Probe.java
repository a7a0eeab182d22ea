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
 * Sends probe messages, and finds out whether the broker takes each, and whether it comes back from
 * its hold. They come back to a queue of the probe's own, which is deleted with the probe. A
 * message that comes later ends in the sink; otherwise it would be kept as undelivered. Not
 * thread-safe.
 */
public final class Probe implements AutoCloseable {
  /** The priority by which a message overtakes others in a quorum queue, from RabbitMQ 4.0 on. */
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

  /** A probe that sends on its own channel of that connection. */
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
   * Lets messages come back after their hold.
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

  /** Declares the queue of this probe, without a binding, and returns its name. */
  String consume(Channel channel, Names names, Consumer<Delivery> whenArrived) throws IOException {
    String queue = names.probe(token); // under our prefix, for which we have a permission
    channel.queueDeclare(queue, false, true, true, Map.of("x-queue-type", "classic"));
    channel.basicConsume(queue, true, (tag, each) -> whenArrived.accept(each), tag -> {});
    return queue;
  }

  /** The value of {@code BCC} that steers a message through these holds, and then back. */
  public List<String> back(List<String> holds) {
    List<String> steering = new ArrayList<>(holds);
    steering.add(BccKeys.probe(token));
    steering.add(BccKeys.TO_SINK);
    return steering;
  }

  /**
   * Sends a message.
   *
   * @param id its id, unique in this probe
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
      headers.put(Headers.EXCHANGE, ""); // without this header it would be kept instead of returned
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
   * Waits until all messages are confirmed or returned, and have come back.
   *
   * @param back whether they should come back; otherwise this waits only for the broker's answers
   * @return the state of each message by then, by its id
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
        String why = blocked; // the broker says so when a connection begins to publish, not before
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

  /** The message with these properties; a new one if another program has sent it. */
  private Message message(BasicProperties properties) {
    return messages.getOrDefault(String.valueOf(properties.getMessageId()), new Message(0));
  }

  /** Whether the broker reads from the connection; if not, closing a channel would wait in vain. */
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
      own.abort(); // its queue is deleted with the consumer
    }
  }

  /** The state of a message. */
  public enum State {
    /** No answer came. */
    SILENT,
    /** The broker has confirmed it; it has not come back. */
    TAKEN,
    REFUSED,
    /** The broker returned it: no queue was bound. */
    RETURNED,
    ARRIVED
  }

  /**
   * The fate of one message.
   *
   * @param sent when it was sent, by this machine's clock
   * @param took the time until it came back; zero if it has not
   * @param headers the headers with which it came back
   */
  public record Answer(State state, Instant sent, Duration took, Map<String, Object> headers) {
    /** The clock of the node that leads the queue through which it came, if it shows that. */
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
