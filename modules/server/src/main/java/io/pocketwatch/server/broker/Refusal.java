// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;

/** The broker's own words in an exception of its client, which often has none itself. */
public final class Refusal {
  private Refusal() {}

  /** Whether it refused this request, and not the connection. */
  public static boolean ofRequest(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof ShutdownSignalException signal) {
        return signal.getReason() instanceof AMQP.Channel.Close;
      }
    }
    return false;
  }

  public static String words(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof ShutdownSignalException signal) {
        if (signal.getReason() instanceof AMQP.Channel.Close close) {
          return close.getReplyText();
        }
        if (signal.getReason() instanceof AMQP.Connection.Close close) {
          return close.getReplyText();
        }
      }
    }
    return String.valueOf(failure.getMessage() == null ? failure : failure.getMessage());
  }
}
