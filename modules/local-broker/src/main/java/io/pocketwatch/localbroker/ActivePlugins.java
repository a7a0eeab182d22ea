// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Asks a running node which plugins are on. A file is no proof: a broker starts without a plugin
 * that was built for another version, and says so in its log only.
 */
final class ActivePlugins {

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");

  private ActivePlugins() {}

  static void require(BrokerNode node, LocalBrokerOptions options) throws RungRefusedException {
    Set<String> active =
        NAME.matcher(node.ctl("eval", "rabbit_plugins:active()."))
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toSet());
    for (String plugin : options.plugins()) {
      if (!active.contains(plugin)) {
        throw missing(node.version(), node.source(), plugin);
      }
    }
  }

  static RungRefusedException missing(String version, BrokerSource source, String plugin) {
    return RungRefusedException.pluginMissing(
        "RabbitMQ %s (%s) has no plugin %s that fits".formatted(version, source.label(), plugin),
        "Name a folder that holds it in %s_%s."
            .formatted(Environment.PLUGINS, Versions.variableSuffix(version)));
  }
}
