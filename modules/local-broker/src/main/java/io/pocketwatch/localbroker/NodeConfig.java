// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.ArrayList;
import java.util.List;

/** The text of a private node's configuration files. */
final class NodeConfig {

  private NodeConfig() {}

  /** A plugin's keys are errors while the plugin is off, hence the conditions. */
  static List<String> lines(NodePorts ports, List<String> furtherLines) {
    List<String> lines = new ArrayList<>();
    lines.add("listeners.tcp.1 = 127.0.0.1:" + ports.amqp());
    if (ports.management() > 0) {
      lines.add("management.tcp.ip = 127.0.0.1");
      lines.add("management.tcp.port = " + ports.management());
    }
    if (ports.prometheus() > 0) {
      lines.add("prometheus.tcp.ip = 127.0.0.1");
      lines.add("prometheus.tcp.port = " + ports.prometheus());
    }
    lines.addAll(furtherLines);
    return lines;
  }

  static String enabledPlugins(List<String> plugins) {
    return "[" + String.join(",", plugins) + "].\n";
  }
}
