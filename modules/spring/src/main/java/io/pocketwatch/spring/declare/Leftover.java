// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import io.pocketwatch.internal.base.BrokerError;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An exchange that was declared while the broker had the plugin. It outlives it with its bindings,
 * and can be neither declared nor published to: both are a 406.
 *
 * @param exchange its name
 */
record Leftover(String exchange) {
  // inequivalent arg 'type' for exchange 'a' in vhost '/': received 'b' but current is ''c''
  private static final Pattern OTHER_TYPE =
      Pattern.compile(
          "inequivalent arg 'type' for exchange '(.*)' in vhost '.*': .* current is '+"
              + UnderlyingExchange.DELAYED
              + "'+",
          Pattern.DOTALL);
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  /**
   * The exchange of a failed declaration, if the broker says that it has the plugin's type. Whether
   * the broker still has the plugin, it does not say.
   */
  static Optional<Leftover> in(Throwable failure) {
    return BrokerError.reply(failure)
        .map(OTHER_TYPE::matcher)
        .filter(Matcher::find)
        .map(found -> new Leftover(found.group(1)));
  }

  String explanation() {
    return ("exchange '%s' is left over from the delayed-message plugin. This broker no longer"
            + " has its type %s, so it can be neither declared anew nor published to. Recreate it"
            + " with its bindings: ./pocketwatch migrate-exchange %s"
            + " --broker amqp://... --management http://...")
        .formatted(exchange, UnderlyingExchange.DELAYED, shellWord());
  }

  private String shellWord() {
    return PLAIN.matcher(exchange).matches()
        ? exchange
        : "'" + exchange.replace("'", "'\\''") + "'";
  }
}
