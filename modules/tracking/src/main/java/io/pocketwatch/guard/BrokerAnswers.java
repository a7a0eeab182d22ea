// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.guard.Arrival.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the broker is told of a channel's messages, in order and in few frames, on a thread that
 * nobody waits for.
 */
final class BrokerAnswers {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerAnswers.class);

  /** For what was handled to be settled and acknowledged, when this is closed. */
  private static final Duration LAST_ANSWERS = Duration.ofSeconds(10);

  private final Channel channel;
  private final SerialExecutor turn;

  /** The channel's: guards what follows, and the arrivals. */
  private final Object lock;

  /** What the broker is not answered for yet, by its tags. */
  private final NavigableMap<Long, Arrival> open = new TreeMap<>();

  private final List<Arrival> acknowledged = new ArrayList<>();

  BrokerAnswers(Channel channel, SerialExecutor turn, Object lock) {
    this.channel = channel;
    this.turn = turn;
    this.lock = lock;
  }

  /** Is to be answered for. Under the lock. */
  void arrived(Arrival arrived) {
    open.put(arrived.tag(), arrived);
  }

  /** Those that are to be answered for, in order. Under the lock. */
  List<Arrival> open() {
    return List.copyOf(open.values());
  }

  /** The broker gives them to others. Under the lock. */
  void lost() {
    open.clear();
    lock.notifyAll();
  }

  void acknowledge(Arrival arrived) {
    boolean first;
    synchronized (lock) {
      arrived.stage = Stage.OVER;
      first = acknowledged.isEmpty();
      acknowledged.add(arrived);
    }
    if (first) {
      turn.execute(this::acknowledgeAll);
    }
    arrived.subscription().gone(arrived);
  }

  /** With one frame where the broker waits for no answer in between. */
  private void acknowledgeAll() {
    List<Long> single = new ArrayList<>();
    long upTo = 0;
    synchronized (lock) {
      for (Arrival one : acknowledged) {
        if (open.remove(one.tag(), one)) {
          single.add(one.tag());
        }
      }
      acknowledged.clear();
      long firstOpen = open.isEmpty() ? Long.MAX_VALUE : open.firstKey();
      for (long tag : single) {
        upTo = tag < firstOpen ? Math.max(upTo, tag) : upTo;
      }
    }
    try {
      if (upTo > 0) {
        channel.basicAck(upTo, true);
      }
      for (long tag : single) {
        if (tag > upTo) {
          channel.basicAck(tag, false);
        }
      }
    } catch (IOException | ShutdownSignalException e) {
      LOG.debug("The channel is gone; {} messages come again", single.size(), e);
    }
    answered();
  }

  void returnToQueue(Arrival arrived) {
    reject(arrived, true);
  }

  /** In its turn behind the acknowledgements, of which none must include it. */
  void reject(Arrival arrived, boolean requeue) {
    synchronized (lock) {
      arrived.stage = Stage.OVER;
    }
    turn.execute(
        () -> {
          synchronized (lock) {
            if (!open.remove(arrived.tag(), arrived)) {
              return;
            }
          }
          try {
            channel.basicNack(arrived.tag(), false, requeue);
          } catch (IOException | ShutdownSignalException e) {
            LOG.debug("The channel is gone; {} comes again", arrived, e);
          }
          answered();
        });
    arrived.subscription().gone(arrived);
  }

  private void answered() {
    synchronized (lock) {
      lock.notifyAll();
    }
  }

  /** Until the broker has been told what it is to be told by now. */
  void flush() {
    CompletableFuture<Void> told = new CompletableFuture<>();
    turn.execute(() -> told.complete(null));
    told.join();
  }

  void awaitAnswers() {
    long end = System.nanoTime() + LAST_ANSWERS.toNanos();
    synchronized (lock) {
      while (channel.isOpen()
          && open.values().stream()
              .anyMatch(one -> one.stage == Stage.ENDING || one.stage == Stage.OVER)) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return;
        }
        try {
          lock.wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }
}
