// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import org.jspecify.annotations.Nullable;

/** The broker's own words in an exception of its client, which often has none itself. */
public final class Refusal {
  private Refusal() {}

  /** Whether it refused this request, and not the connection. */
  public static boolean ofRequest(Throwable failure) {
    return code(failure) != 0;
  }

  /** The code with which it closed the channel; 0 if it did not. */
  public static int code(Throwable failure) {
    return reason(failure) instanceof AMQP.Channel.Close close ? close.getReplyCode() : 0;
  }

  public static String words(Throwable failure) {
    Object reason = reason(failure);
    if (reason instanceof AMQP.Channel.Close close) {
      return close.getReplyText();
    }
    if (reason instanceof AMQP.Connection.Close close) {
      return close.getReplyText();
    }
    return String.valueOf(failure.getMessage() == null ? failure : failure.getMessage());
  }

  private static @Nullable Object reason(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof ShutdownSignalException signal) {
        return signal.getReason();
      }
    }
    return null;
  }
}
