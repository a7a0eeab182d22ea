// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the broker's reply code and words out of the client's exceptions. */
public final class BrokerError {
  public static final int NOT_FOUND = AMQP.NOT_FOUND;
  public static final int ACCESS_REFUSED = AMQP.ACCESS_REFUSED;

  /**
   * For example {@code queue limit in vhost '/' (100) is reached}, {@code exchange limit of 10 is
   * reached}. Only at the end: a name may stand before it.
   */
  private static final Pattern LIMIT =
      Pattern.compile("PRECONDITION_FAILED - .*(queue|exchange) limit .*is reached");

  private BrokerError() {}

  /**
   * Whether the broker knows the queue but its node is down. The code is the same as for a queue
   * that does not exist.
   */
  public static boolean unavailable(Throwable error) {
    return saysUnavailable(reply(error).orElseGet(() -> ErrorWords.of(error)));
  }

  private static boolean saysUnavailable(String text) {
    return text.contains("down or inaccessible") || text.contains("stopped by supervisor");
  }

  /** The AMQP reply code, or 0 if the broker did not answer. */
  public static int code(Throwable error) {
    ShutdownSignalException signal = signal(error);
    if (signal == null || unavailable(error)) {
      return 0;
    }
    if (signal.getReason() instanceof AMQP.Channel.Close close) {
      return close.getReplyCode();
    }
    return signal.getReason() instanceof AMQP.Connection.Close close ? close.getReplyCode() : 0;
  }

  /** The broker's reply text, if the error is that it closed a channel or connection. */
  public static Optional<String> reply(Throwable error) {
    ShutdownSignalException signal = signal(error);
    return signal == null ? Optional.empty() : reply(signal);
  }

  static Optional<String> reply(ShutdownSignalException signal) {
    if (signal.getReason() instanceof AMQP.Channel.Close close) {
      return Optional.of(close.getReplyText());
    }
    return signal.getReason() instanceof AMQP.Connection.Close close
        ? Optional.of(close.getReplyText())
        : Optional.empty();
  }

  /** Whether the broker refused the request; if not, it could not be asked. */
  public static boolean refused(Throwable error) {
    ShutdownSignalException signal = signal(error);
    return signal != null
        && signal.getReason() instanceof AMQP.Channel.Close
        && !unavailable(error);
  }

  /**
   * Whether the broker refused a queue or exchange because its limit is reached. The code is also
   * that of other faults, so only the text tells.
   */
  public static boolean limitReached(String words) {
    return LIMIT.matcher(words).matches();
  }

  /**
   * Whether the broker refuses all publishing to this exchange, because it is internal or for want
   * of a permission, and not only this message. Only the text tells the two apart.
   */
  public static boolean refusesPublishing(Throwable error, String exchange) {
    String name = "exchange '" + (exchange.isEmpty() ? "amq.default" : exchange) + "' in vhost";
    String text = reply(error).orElse("");
    return code(error) == AMQP.ACCESS_REFUSED
        && (text.contains("access to " + name) || text.contains("internal " + name));
  }

  /** Whether the broker says that this exchange, to which we have published, does not exist. */
  public static boolean hasNoExchange(Throwable error, String exchange) {
    return code(error) == AMQP.NOT_FOUND
        && reply(error).orElse("").contains("no exchange '" + exchange + "' in vhost");
  }

  private static @Nullable ShutdownSignalException signal(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ShutdownSignalException signal) {
        return signal;
      }
    }
    return null;
  }
}
