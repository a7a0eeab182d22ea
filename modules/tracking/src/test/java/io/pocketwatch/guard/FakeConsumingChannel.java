// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.RecoverableChannel;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.guard.FakeQueue.Copy;
import io.pocketwatch.testing.Fakes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the guard uses of a {@link Channel}. It delivers when told, and notes what it is told. */
final class FakeConsumingChannel {
  /** Is told what happens here, just before that counts. */
  interface Watcher {
    void acknowledged(@Nullable Copy copy);

    void ends(FakeConsumingChannel channel);
  }

  final Channel proxy = Fakes.as(Channel.class, this);

  /** The same, of a connection that recovers by itself. */
  final Channel recoverable = Fakes.as(RecoverableChannel.class, this);

  /** What the broker was told, in order. */
  final List<String> said = new ArrayList<>();

  /** What it was not answered for. */
  final NavigableMap<Long, Copy> unacked = new TreeMap<>();

  /** The last one that the guard has shown to a consumer of this channel. */
  long lastTagShown;

  private final FakeQueue queue;
  private final Watcher watcher;
  private final Map<String, com.rabbitmq.client.Consumer> consumers = new LinkedHashMap<>();
  private final List<ShutdownListener> listeners = new ArrayList<>();

  private @Nullable ShutdownSignalException signal;
  private long lastTag;
  private int prefetch;
  private int tagsGiven;
  private boolean pooled;

  /** How often it was asked to consume. */
  int timesConsumed;

  /** For a while; it is open all the same. */
  boolean refusesConsumers;

  /** How often it was asked for something that makes a pooled one connect anew. */
  int timesReopened;

  FakeConsumingChannel(FakeQueue queue, Watcher watcher) {
    this.queue = queue;
    this.watcher = watcher;
  }

  // What the test has happen

  /** From now on it is like one of Spring's pool, which throws and connects anew as it likes. */
  void becomesPooled() {
    pooled = true;
  }

  /** It is closed, and nobody was told yet; returns what tells them. */
  Runnable diesUntold() {
    List<ShutdownListener> told = List.copyOf(listeners);
    listeners.clear();
    losesConnection();
    ShutdownSignalException why = Objects.requireNonNull(signal);
    return () -> told.forEach(each -> each.shutdownCompleted(why));
  }

  /** The broker delivers the next message of the queue; false if it cannot. */
  boolean delivers() {
    boolean full = prefetch > 0 && unacked.size() >= prefetch;
    if (signal != null || consumers.isEmpty() || queue.waiting.isEmpty() || full) {
      return false;
    }
    deliversTo(consumers.keySet().iterator().next());
    return true;
  }

  void deliversTo(String consumer) {
    delivers(consumer(consumer), consumer);
  }

  com.rabbitmq.client.Consumer consumer(String tag) {
    return Objects.requireNonNull(consumers.get(tag));
  }

  /** Also to one that was cancelled a moment ago, as the broker's word is on its way. */
  void delivers(com.rabbitmq.client.Consumer to, String consumer) {
    Copy copy = queue.waiting.remove();
    unacked.put(++lastTag, copy);
    try {
      to.handleDelivery(consumer, copy.envelope(lastTag), copy.properties(), new byte[] {1});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  void losesConnection() {
    end(
        new ShutdownSignalException(
            true, false, new AMQP.Connection.Close.Builder().replyText("lost").build(), proxy));
  }

  /** The connection is lost and made anew, as the client does it; tags go on. */
  void recovers() {
    Map<String, com.rabbitmq.client.Consumer> again = new LinkedHashMap<>(consumers);
    losesConnection();
    signal = null;
    consumers.putAll(again);
    again.forEach((tag, each) -> each.handleRecoverOk(tag));
    again.forEach((tag, each) -> each.handleConsumeOk(tag));
  }

  /** The broker ends the consumer, as when its queue is deleted. */
  void cancelsConsumer() throws IOException {
    for (Map.Entry<String, com.rabbitmq.client.Consumer> each : Map.copyOf(consumers).entrySet()) {
      consumers.remove(each.getKey());
      each.getValue().handleCancel(each.getKey());
    }
  }

  private void end(ShutdownSignalException why) {
    if (signal != null) {
      return;
    }
    watcher.ends(this);
    signal = why;
    queue.putBack(List.copyOf(unacked.values()));
    unacked.clear();
    List.copyOf(listeners).forEach(each -> each.shutdownCompleted(why));
    Map.copyOf(consumers).forEach((tag, each) -> each.handleShutdownSignal(tag, why));
    consumers.clear();
  }

  /** Whether anybody hears of a lost connection, but its consumers. */
  boolean isListenedTo() {
    return !listeners.isEmpty();
  }

  boolean isConsumed() {
    return !consumers.isEmpty();
  }

  boolean isConsumed(String tag) {
    return consumers.containsKey(tag);
  }

  private void requireOpen() {
    if (signal != null && pooled) {
      timesReopened++;
      throw new IllegalStateException("a pooled channel cannot connect");
    }
    if (signal != null) {
      throw new AlreadyClosedException(signal);
    }
  }

  private void answered(long tag, Consumer<Copy> then) {
    Copy copy = unacked.remove(tag);
    if (copy == null) {
      throw new AssertionError("the broker knows no delivery tag " + tag + ": " + said);
    }
    then.accept(copy);
  }

  // Called through the proxy

  boolean isOpen() {
    return signal == null;
  }

  @Nullable ShutdownSignalException getCloseReason() {
    if (pooled) {
      requireOpen();
    }
    return signal;
  }

  void addShutdownListener(ShutdownListener listener) {
    listeners.add(listener);
    if (signal != null) {
      listener.shutdownCompleted(signal);
    }
  }

  void removeShutdownListener(ShutdownListener listener) {
    listeners.remove(listener);
  }

  void basicQos(int count) {
    requireOpen();
    prefetch = count;
  }

  String basicConsume(
      String name,
      boolean autoAck,
      String tag,
      boolean noLocal,
      boolean exclusive,
      Map<String, Object> arguments,
      com.rabbitmq.client.Consumer consumer) {
    requireOpen();
    if (refusesConsumers) {
      throw new IllegalStateException("the queue has no leader");
    }
    timesConsumed++;
    String given = tag.isEmpty() ? "consumer-" + ++tagsGiven : tag;
    consumers.put(given, consumer);
    consumer.handleConsumeOk(given);
    return given;
  }

  void basicCancel(String tag) {
    requireOpen();
    com.rabbitmq.client.Consumer ended = consumers.remove(tag);
    if (ended != null) {
      ended.handleCancelOk(tag);
    }
  }

  void basicAck(long tag, boolean multiple) {
    requireOpen();
    said.add((multiple ? "ack up to " : "ack ") + tag);
    List<Long> tags = multiple ? List.copyOf(unacked.headMap(tag, true).keySet()) : List.of(tag);
    tags.forEach(each -> watcher.acknowledged(unacked.get(each)));
    tags.forEach(each -> answered(each, copy -> {}));
  }

  void basicNack(long tag, boolean multiple, boolean requeue) {
    requireOpen();
    said.add((requeue ? "requeue " : "reject ") + tag);
    answered(
        tag,
        copy -> {
          if (requeue) {
            queue.putBack(List.of(copy));
          } else {
            queue.deadLetters.add(copy);
          }
        });
  }

  void abort() {
    close();
  }

  void close() {
    if (signal == null) {
      end(new ShutdownSignalException(false, true, null, proxy, "closed", null));
    }
  }
}
