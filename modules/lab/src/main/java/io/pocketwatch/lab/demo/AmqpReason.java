// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import org.jspecify.annotations.Nullable;

/** The broker's own words in an exception of its client, which often has none itself. */
final class AmqpReason {
  private AmqpReason() {}

  /** The code with which the broker closed the channel; 0 if it did not. */
  static int code(Throwable failure) {
    ShutdownSignalException signal = signal(failure);
    return signal != null && signal.getReason() instanceof AMQP.Channel.Close close
        ? close.getReplyCode()
        : 0;
  }

  static String words(Throwable failure) {
    ShutdownSignalException signal = signal(failure);
    return signal != null && signal.getReason() instanceof AMQP.Channel.Close close
        ? close.getReplyText()
        : String.valueOf(signal == null ? failure : signal.getMessage());
  }

  private static @Nullable ShutdownSignalException signal(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ShutdownSignalException signal) {
        return signal;
      }
    }
    return null;
  }
}
