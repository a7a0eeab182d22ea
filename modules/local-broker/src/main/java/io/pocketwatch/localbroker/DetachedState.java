// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The facts to remember about a detached node, in a file in its folder. The node may run or not,
 * and its programs may be gone.
 */
record DetachedState(NodeIdentity identity, List<String> plugins, List<Path> pluginFolders) {

  private static final String FILE = "node.properties";
  private static final String NAME = "pocketwatch";
  private static final String LIST_SEPARATOR = "\n";

  /** The state of a new node, with free ports. */
  static DetachedState of(
      Environment base,
      Path folder,
      BrokerSource source,
      RabbitHome home,
      LocalBrokerOptions options) {
    FreePorts ports = FreePorts.of(base);
    return new DetachedState(
        new NodeIdentity(
            source,
            home,
            new NodeGround(folder, ports.next(0)),
            NAME,
            NodePorts.pick(ports, options.port(), options.plugins())),
        options.plugins(),
        // Those of the environment too: the next process may have others, the data has not.
        options.pluginFolders(base, home.version()));
  }

  /** The node; anything that is not remembered is taken from the options. */
  PrivateNode node(Environment base, LocalBrokerOptions options) {
    return new PrivateNode(
        base, identity, options.withPlugins(plugins).withPluginFolders(pluginFolders), true);
  }

  /** The version of its data. */
  String version() {
    return identity.home().version();
  }

  /** Whether the programs it was created with are still there. */
  boolean startable() {
    RabbitHome home = identity.home();
    return RabbitHome.in(home.folder(), home.programs())
        .filter(found -> found.version().equals(home.version()))
        .isPresent();
  }

  static Optional<DetachedState> read(Path folder) {
    Path file = folder.resolve(FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Properties state = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      state.load(reader);
    } catch (IOException e) {
      throw new BrokerControlException("cannot read " + file, e);
    }
    RabbitHome home =
        new RabbitHome(
            Path.of(state.getProperty("home")),
            state.getProperty("version"),
            paths(state, "programs"));
    return Optional.of(
        new DetachedState(
            new NodeIdentity(
                BrokerSource.valueOf(state.getProperty("source")),
                home,
                new NodeGround(folder, Integer.parseInt(state.getProperty("port.epmd"))),
                NAME,
                NodePorts.readFrom(state)),
            list(state, "plugins"),
            paths(state, "plugin.folders")));
  }

  void write() {
    RabbitHome home = identity.home();
    Properties state = new Properties();
    state.setProperty("source", identity.source().name());
    state.setProperty("home", home.folder().toString());
    state.setProperty("version", home.version());
    state.setProperty("programs", text(home.programs().stream().map(Path::toString)));
    state.setProperty("port.epmd", Integer.toString(identity.ground().epmdPort()));
    identity.ports().writeTo(state);
    state.setProperty("plugins", text(plugins.stream()));
    state.setProperty("plugin.folders", text(pluginFolders.stream().map(Path::toString)));
    Path folder = identity.ground().folder();
    try {
      Files.createDirectories(folder);
      Path draft = folder.resolve(FILE + ".new");
      try (Writer writer = Files.newBufferedWriter(draft)) {
        state.store(writer, "A detached RabbitMQ node of Pocketwatch");
      }
      Files.move(
          draft,
          folder.resolve(FILE),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new BrokerControlException("cannot remember the node in " + folder, e);
    }
  }

  private static List<Path> paths(Properties state, String key) {
    return list(state, key).stream().map(Path::of).toList();
  }

  private static List<String> list(Properties state, String key) {
    String text = state.getProperty(key, "");
    return text.isEmpty() ? List.of() : List.of(text.split(LIST_SEPARATOR, -1));
  }

  private static String text(Stream<String> values) {
    return values.collect(Collectors.joining(LIST_SEPARATOR));
  }
}
