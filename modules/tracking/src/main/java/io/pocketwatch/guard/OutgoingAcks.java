// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Channel;
import io.pocketwatch.guard.Arrival.Stage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answers to the broker for a channel's messages, in few frames. For the channel's events. */
final class OutgoingAcks {
  private static final Logger LOG = LoggerFactory.getLogger(OutgoingAcks.class);
  private static final Set<Stage> TO_BE_TOLD =
      EnumSet.of(Stage.ENDING, Stage.RETURNING, Stage.OVER);

  private final Channel channel;
  private final SerialExecutor events;

  /** Runs whenever no message is open. */
  private final Runnable owesNothing;

  /** The messages without an answer to the broker, by its tags. */
  private final NavigableMap<Long, Arrival> open = new TreeMap<>();

  private final List<Arrival> acknowledged = new ArrayList<>();

  /** For those who wait until all is told that is to be told by now. */
  private final List<CompletableFuture<Void>> waiting = new ArrayList<>();

  /** For those who ask from other threads. */
  private volatile int size;

  /** What the broker is told. */
  @FunctionalInterface
  private interface Answer {
    void write() throws IOException;
  }

  OutgoingAcks(Channel channel, SerialExecutor events, Runnable owesNothing) {
    this.channel = channel;
    this.events = events;
    this.owesNothing = owesNothing;
  }

  /** Is to be answered for. */
  void arrived(Arrival arrived) {
    open.put(arrived.tag(), arrived);
    size = open.size();
  }

  /** Those that are to be answered for, in order. */
  List<Arrival> open() {
    return List.copyOf(open.values());
  }

  /** How many those are; from any thread. */
  int size() {
    return size;
  }

  /** The broker gives them to others. */
  void lost() {
    open.clear();
    answered();
  }

  /** Together with all that is acknowledged by the events that wait already. */
  void acknowledge(Arrival arrived) {
    over(arrived);
    acknowledged.add(arrived);
    if (acknowledged.size() == 1) {
      events.execute(this::acknowledgeAll);
    }
  }

  /** With one frame where the broker waits for no answer in between. */
  private void acknowledgeAll() {
    List<Long> single = new ArrayList<>();
    for (Arrival one : acknowledged) {
      if (open.remove(one.tag(), one)) {
        single.add(one.tag());
      }
    }
    long firstOpen = open.isEmpty() ? Long.MAX_VALUE : open.firstKey();
    long upTo = 0;
    for (long tag : single) {
      upTo = tag < firstOpen ? Math.max(upTo, tag) : upTo;
    }
    if (upTo > 0) {
      long last = upTo;
      write(() -> channel.basicAck(last, true));
    }
    for (long tag : single) {
      if (tag > upTo) {
        write(() -> channel.basicAck(tag, false));
      }
    }
    acknowledged.clear();
    answered();
  }

  /** After the acknowledgements, of which none must include this message. */
  void reject(Arrival arrived, boolean requeue) {
    over(arrived);
    events.execute(
        () -> {
          if (open.remove(arrived.tag(), arrived)) {
            write(() -> channel.basicNack(arrived.tag(), false, requeue));
          }
          answered();
        });
  }

  private void write(Answer answer) {
    try {
      answer.write();
    } catch (IOException | RuntimeException e) { // a pooled one throws what it likes
      LOG.debug("The channel is gone; what was to be answered comes again", e);
    }
  }

  void returnToQueue(Arrival arrived) {
    reject(arrived, true);
  }

  private void over(Arrival arrived) {
    arrived.stage = Stage.OVER;
  }

  private void answered() {
    size = open.size();
    if (!waiting.isEmpty() && isAllTold()) {
      waiting.forEach(each -> each.complete(null));
      waiting.clear();
    }
    if (open.isEmpty()) {
      owesNothing.run();
    }
  }

  private boolean isAllTold() {
    return !channel.isOpen()
        || open.values().stream().noneMatch(one -> TO_BE_TOLD.contains(one.stage));
  }

  /** Completes when the broker has been told what it is to be told by now. */
  void whenAllTold(CompletableFuture<Void> then) {
    waiting.add(then);
    answered();
  }
}
