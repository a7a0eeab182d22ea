// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.File;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The environment of a private node's processes, for the server and its command line tools. */
final class NodeEnvironment {

  private static final String LOOPBACK = "-kernel inet_dist_use_interface {127,0,0,1}";

  /** A command lives for half a second, of which its schedulers would spin a third. */
  private static final String NO_SPINNING = " +sbwt none +sbwtdcpu none +sbwtdio none";

  private NodeEnvironment() {}

  /** The environment of any Erlang program on this ground. */
  static Map<String, String> erlang(Environment base, RabbitHome home, NodeGround ground) {
    Map<String, String> result = new HashMap<>(base.variables());
    // Settings of a system node, or a service manager's socket, would affect our node.
    result.keySet().removeIf(NodeEnvironment::foreign);
    String path =
        Stream.concat(home.programs().stream().map(Path::toString), base.get("PATH").stream())
            .collect(Collectors.joining(File.pathSeparator));
    result.put("PATH", path);
    result.put("HOME", ground.home().toString());
    result.put("LC_ALL", "C.UTF-8");
    result.put("ERL_CRASH_DUMP_BYTES", "0");
    result.put("ERL_EPMD_PORT", Integer.toString(ground.epmdPort()));
    result.put("ERL_EPMD_ADDRESS", "127.0.0.1");
    result.put(NodeGround.MARKER, ground.folder().toString());
    return result;
  }

  static Map<String, String> node(
      Environment base, NodeIdentity identity, List<Path> pluginFolders) {
    NodeFolder folder = identity.folder();
    String plugins =
        Stream.concat(Stream.of(identity.home().plugins()), pluginFolders.stream())
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
    Map<String, String> result = erlang(base, identity.home(), identity.ground());
    result.put("RABBITMQ_NODENAME", fullName(identity.name()));
    result.put("RABBITMQ_CONF_ENV_FILE", "/dev/null");
    result.put("RABBITMQ_CONFIG_FILE", folder.config().toString());
    result.put("RABBITMQ_CONFIG_FILES", folder.configFolder().toString());
    result.put("RABBITMQ_ADVANCED_CONFIG_FILE", folder.advancedConfig().toString());
    result.put("RABBITMQ_ENABLED_PLUGINS_FILE", folder.enabledPlugins().toString());
    result.put("RABBITMQ_PLUGINS_DIR", plugins);
    result.put("RABBITMQ_MNESIA_BASE", folder.data().toString());
    result.put("RABBITMQ_LOG_BASE", folder.log().toString());
    result.put("RABBITMQ_DIST_PORT", Integer.toString(identity.ports().distribution()));
    result.put("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", LOOPBACK);
    result.put("RABBITMQ_CTL_ERL_ARGS", LOOPBACK + NO_SPINNING);
    // Port 0 is any free one; the stock range of eleven is soon used up by parallel commands.
    result.put("RABBITMQ_CTL_DIST_PORT_MIN", "0");
    result.put("RABBITMQ_CTL_DIST_PORT_MAX", "0");
    // Makes the start script exec the server, so that the pid we know is the node's own.
    result.put("RUNNING_UNDER_SYSTEMD", "true");
    return result;
  }

  static String fullName(String node) {
    return node + "@localhost";
  }

  private static boolean foreign(String variable) {
    return variable.startsWith("RABBITMQ_")
        || variable.startsWith("ERL_")
        || variable.equals("NOTIFY_SOCKET");
  }
}
