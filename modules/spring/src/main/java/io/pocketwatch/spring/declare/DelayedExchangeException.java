// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import io.pocketwatch.internal.base.BrokerError;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when an exchange of the delayed-message plugin cannot be declared on this broker; the
 * message says what to do. Callers of an admin see it as the cause of an {@code AmqpIOException}.
 * As an {@code IOException} it passes through all that Spring does with a failed declaration,
 * {@code ignoreDeclarationExceptions} included.
 */
public final class DelayedExchangeException extends IOException {
  private static final long serialVersionUID = 1L;

  // inequivalent arg 'type' for exchange 'a' in vhost '/': received 'b' but current is ''c''
  private static final Pattern OTHER_TYPE =
      Pattern.compile(
          "inequivalent arg 'type' for exchange '(.*)' in vhost '.*': .* current is '+"
              + UnderlyingExchange.DELAYED
              + "'+",
          Pattern.DOTALL);
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

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
                    described(named))
            + " example direct");
  }

  private static String described(@Nullable Object named) {
    if (named == null) {
      return "is missing";
    }
    return named instanceof String
        ? "is '" + named + "'"
        : "is %s (%s), which is no text".formatted(named, named.getClass().getSimpleName());
  }

  /**
   * For an exchange that was declared while the broker had the plugin. It outlives the plugin with
   * its bindings, and can be neither declared nor published to: both are a 406. The broker's answer
   * is suppressed and not the cause: of a failure it ignores, Spring logs only the cause.
   *
   * @param failure of a declaration
   * @return empty unless the broker says that its exchange has the plugin's type; it does not say
   *     whether it still has the plugin
   */
  static Optional<DelayedExchangeException> leftOver(Throwable failure) {
    Optional<DelayedExchangeException> found =
        BrokerError.reply(failure)
            .map(OTHER_TYPE::matcher)
            .filter(Matcher::find)
            .map(words -> leftOver(words.group(1)));
    found.ifPresent(exception -> exception.addSuppressed(failure));
    return found;
  }

  private static DelayedExchangeException leftOver(String exchange) {
    String shellWord =
        PLAIN.matcher(exchange).matches() ? exchange : "'" + exchange.replace("'", "'\\''") + "'";
    return new DelayedExchangeException(
        exchange,
        ("exchange '%s' is left over from the delayed-message plugin. This broker no longer"
                + " has its type %s, so it can be neither declared anew nor published to. Recreate"
                + " it with its bindings: ./pocketwatch migrate-exchange %s"
                + " --broker amqp://... --management http://...")
            .formatted(exchange, UnderlyingExchange.DELAYED, shellWord));
  }

  /** The name of the exchange. */
  public String exchange() {
    return exchange;
  }
}
