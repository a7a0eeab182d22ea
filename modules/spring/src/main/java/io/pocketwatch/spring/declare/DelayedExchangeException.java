// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An exchange of the delayed-message plugin cannot be declared on this broker, and its message says
 * what to do. Callers of an admin see it as the cause of an {@code AmqpIOException}. As an {@code
 * IOException} it passes through all that Spring does with a failed declaration, {@code
 * ignoreDeclarationExceptions} included.
 */
public final class DelayedExchangeException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String exchange;

  private DelayedExchangeException(String exchange, String message) {
    super(message);
    this.exchange = exchange;
  }

  static DelayedExchangeException withoutType(String exchange, @Nullable Object named) {
    return new DelayedExchangeException(
        exchange,
        "exchange '%s' has the type %s, and its argument %s %s: name the type that routes, for"
                .formatted(
                    exchange,
                    UnderlyingExchange.DELAYED,
                    UnderlyingExchange.TYPE_ARGUMENT,
                    named == null ? "is missing" : "is '" + named + "'")
            + " example direct");
  }

  /** The broker's answer is no cause: of a failure it ignores, Spring would log only that. */
  static DelayedExchangeException leftOver(Leftover leftover, Throwable answer) {
    DelayedExchangeException exception =
        new DelayedExchangeException(leftover.exchange(), leftover.explanation());
    exception.addSuppressed(answer);
    return exception;
  }

  /** The name of the exchange. */
  public String exchange() {
    return exchange;
  }
}
