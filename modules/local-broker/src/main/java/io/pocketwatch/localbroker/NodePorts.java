// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** The loopback ports of one node; 0 where the plugin that would listen is off. */
record NodePorts(int amqp, int distribution, int management) {

  private static final String MANAGEMENT_PLUGIN = "rabbitmq_management";

  static NodePorts pick(FreePorts ports, int preferredAmqp, List<String> plugins) {
    int preferredManagement = preferredAmqp == 0 ? 0 : preferredAmqp + 10_000;
    int amqp = ports.next(preferredAmqp);
    int management =
        plugins.contains(MANAGEMENT_PLUGIN)
            ? ports.next(preferredManagement <= 65_535 ? preferredManagement : 0)
            : 0;
    return new NodePorts(amqp, ports.next(0), management);
  }

  /** Address for clients, with the user that every new node has. */
  URI amqpUri(String host) {
    return URI.create("amqp://guest:guest@" + host + ":" + amqp);
  }

  Optional<URI> managementUri(String host) {
    return management == 0
        ? Optional.empty()
        : Optional.of(URI.create("http://guest:guest@" + host + ":" + management + "/"));
  }

  void giveBack() {
    List.of(amqp, distribution, management).forEach(FreePorts::giveBack);
  }

  /** Describes one of the ports that is taken, if any. */
  Optional<String> taken() {
    Map<String, Integer> named = new LinkedHashMap<>();
    named.put("AMQP", amqp);
    named.put("distribution", distribution);
    named.put("management", management);
    return named.entrySet().stream()
        .filter(each -> each.getValue() != 0 && !FreePorts.free(each.getValue()))
        .map(each -> "its " + each.getKey() + " port " + FreePorts.HOST + ":" + each.getValue())
        .findFirst();
  }

  void writeTo(Properties properties) {
    properties.setProperty("port.amqp", Integer.toString(amqp));
    properties.setProperty("port.distribution", Integer.toString(distribution));
    properties.setProperty("port.management", Integer.toString(management));
  }

  static NodePorts readFrom(Properties properties) {
    return new NodePorts(
        Integer.parseInt(properties.getProperty("port.amqp")),
        Integer.parseInt(properties.getProperty("port.distribution")),
        Integer.parseInt(properties.getProperty("port.management")));
  }
}
