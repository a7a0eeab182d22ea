// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.internal.base.Channels;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Asks a broker for queues and exchanges by passive declares. Not thread-safe; ends with its
 * connection.
 */
public final class PassiveDeclares {
  private final Connection connection;
  private @Nullable Channel channel;

  public PassiveDeclares(Connection connection) {
    this.connection = connection;
  }

  /**
   * @throws IOException if the broker cannot be asked
   */
  public Answer ask(String queue) throws IOException {
    Channel open = open();
    try {
      AMQP.Queue.DeclareOk there = open.queueDeclarePassive(queue);
      return new Answer(there.getMessageCount(), there.getConsumerCount(), "");
    } catch (IOException e) {
      return new Answer(0, 0, refusal(e));
    }
  }

  /**
   * Whether an exchange is there.
   *
   * @return the broker's words if it is not, or if it may not be looked at; empty if it is there
   * @throws IOException if the broker cannot be asked
   */
  public String askExchange(String exchange) throws IOException {
    Channel open = open();
    try {
      open.exchangeDeclarePassive(exchange);
      return "";
    } catch (IOException e) {
      return refusal(e);
    }
  }

  private static String refusal(IOException e) throws IOException {
    if (e.getCause() instanceof ShutdownSignalException signal
        && signal.getReason() instanceof AMQP.Channel.Close refusal) {
      return refusal.getReplyText();
    }
    throw e;
  }

  /** The channel, opened anew after a refusal has closed it. */
  private Channel open() throws IOException {
    Channel open = channel;
    if (open == null || !open.isOpen()) {
      open = Channels.open(connection);
      channel = open;
    }
    return open;
  }

  /**
   * @param messages 0 also if the queue does not count them at once
   * @param consumers how many it has
   * @param refusal the broker's words, or empty
   */
  public record Answer(long messages, int consumers, String refusal) {
    /** Looks at the text: a queue on a node that is down is refused with the same code. */
    public boolean isAbsent() {
      return refusal.startsWith("NOT_FOUND - no queue ");
    }
  }
}
