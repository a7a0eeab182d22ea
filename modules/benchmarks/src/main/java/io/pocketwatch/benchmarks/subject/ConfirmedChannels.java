// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.benchmarks.harness.Ledger;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Semaphore;

/**
 * Publishing as fast as a careful application can: persistent, publisher confirms, a bounded number
 * in flight, a channel per thread. Thread-safe.
 */
public final class ConfirmedChannels implements AutoCloseable {
  /** As many channels and messages in flight as {@code PublisherOptions.defaults()}. */
  private static final int CHANNELS = 4;

  private static final int IN_FLIGHT = 500;

  private final Connection connection;
  private final boolean mandatory;
  private final List<Confirmed> channels = new ArrayList<>();

  /** What reaches no queue is returned. The connection is closed with this. */
  public ConfirmedChannels(Connection connection, Ledger ledger) throws IOException {
    this(connection, true, ledger);
  }

  /**
   * The connection is closed with this.
   *
   * @param mandatory whether the broker returns what reaches no queue
   */
  public ConfirmedChannels(Connection connection, boolean mandatory, Ledger ledger)
      throws IOException {
    this.connection = connection;
    this.mandatory = mandatory;
    for (int i = 0; i < CHANNELS; i++) {
      channels.add(new Confirmed(connection.createChannel(), ledger));
    }
  }

  /** Waits while too many are unanswered; the broker's answer goes to the ledger. */
  public void publish(String exchange, String key, BasicProperties properties, byte[] body)
      throws IOException, InterruptedException {
    int index = (int) (Thread.currentThread().getId() % CHANNELS);
    channels.get(index).publish(exchange, key, mandatory, properties, body);
  }

  /** Also when the broker has already closed the connection, as in a restart. */
  @Override
  public void close() {
    connection.abort();
  }

  private static final class Confirmed {
    private final Channel channel;
    private final Ledger ledger;
    private final Semaphore free = new Semaphore(IN_FLIGHT);
    private final ConcurrentSkipListSet<Long> unanswered = new ConcurrentSkipListSet<>();

    Confirmed(Channel channel, Ledger ledger) throws IOException {
      this.channel = channel;
      this.ledger = ledger;
      channel.confirmSelect();
      channel.addConfirmListener(
          (tag, multiple) -> ledger.confirmed(answered(tag, multiple)),
          (tag, multiple) -> refuse(answered(tag, multiple), "nack"));
      // A returned message is confirmed as well; the round then misses its arrival.
      channel.addReturnListener(returned -> ledger.refused("returned: " + returned.getReplyText()));
    }

    void publish(
        String exchange, String key, boolean mandatory, BasicProperties properties, byte[] body)
        throws IOException, InterruptedException {
      free.acquire();
      synchronized (this) {
        unanswered.add(channel.getNextPublishSeqNo());
        channel.basicPublish(exchange, key, mandatory, properties, body);
      }
    }

    private void refuse(int count, String why) {
      for (int i = 0; i < count; i++) {
        ledger.refused(why);
      }
    }

    private int answered(long tag, boolean multiple) {
      int count = 0;
      if (multiple) {
        while (!unanswered.isEmpty() && unanswered.first() <= tag) {
          unanswered.pollFirst();
          count++;
        }
      } else {
        unanswered.remove(tag);
        count = 1;
      }
      free.release(count);
      return count;
    }
  }
}
