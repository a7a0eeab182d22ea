// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Consumes a queue on a connection of its own, and begins anew whenever connection, channel or
 * queue is lost, until the process ends.
 */
final class Subscription {
  private static final long PAUSE_MILLIS = 500;
  private static final long LOOK_MILLIS = 1_000;

  /** Begins to consume. */
  interface Begin {
    /**
     * @param channel one of its own
     * @param lost to be counted down when the broker cancels it
     */
    void on(Channel channel, CountDownLatch lost) throws IOException;
  }

  private final Addresses broker;
  private final String queue;
  private final Begin begin;

  private Subscription(Addresses broker, String queue, Begin begin) {
    this.broker = broker;
    this.queue = queue;
    this.begin = begin;
  }

  static void start(Addresses broker, String queue, Begin begin) {
    Thread thread = new Thread(new Subscription(broker, queue, begin)::run, "consumes-" + queue);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      while (true) {
        consumeUntilLost();
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void consumeUntilLost() throws InterruptedException {
    CountDownLatch lost = new CountDownLatch(1);
    try {
      Connection connection = broker.connect("faults " + queue);
      try {
        connection.addShutdownListener(cause -> lost.countDown());
        Channel channel = connection.createChannel();
        channel.addShutdownListener(cause -> lost.countDown());
        begin.on(channel, lost);
        while (!lost.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          // A queue that was deleted and made again has forgotten us, not always with a word.
          channel.queueDeclarePassive(queue);
          if (channel.consumerCount(queue) == 0) {
            return;
          }
        }
      } finally {
        connection.abort((int) LOOK_MILLIS);
      }
    } catch (IOException | TimeoutException | RuntimeException e) {
      lost.countDown(); // down, stalled, or the queue has no leader: tried again
    }
  }
}
