// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import java.util.Optional;

/** What the broker said when it closed a channel or connection. */
final class BrokerWords {
  private BrokerWords() {}

  static Optional<String> in(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof ShutdownSignalException signal) {
        if (signal.getReason() instanceof AMQP.Channel.Close close) {
          return Optional.of(close.getReplyText());
        }
        if (signal.getReason() instanceof AMQP.Connection.Close close) {
          return Optional.of(close.getReplyText());
        }
      }
    }
    return Optional.empty();
  }

  /** "Unknown", or "invalid" where the broker has heard of it: the plugin was there once. */
  static boolean unknownExchangeType(Throwable failure) {
    return in(failure).filter(text -> text.contains("exchange type")).isPresent();
  }

  /** Brokers look at the type before they look at permissions. */
  static boolean refused(Throwable failure) {
    return in(failure).filter(text -> text.contains("ACCESS_REFUSED")).isPresent();
  }
}
