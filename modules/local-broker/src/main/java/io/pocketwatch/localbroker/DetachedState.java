// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What has to be remembered of a detached node, in a file in its folder. */
final class DetachedState {

  private static final String LIST_SEPARATOR = "\n";

  private final Environment base;
  private final Path folder;

  DetachedState(Environment base, Path folder) {
    this.base = base;
    this.folder = folder;
  }

  private Path file() {
    return folder.resolve("node.properties");
  }

  /** The node as it was created, running or not; its programs may be gone. */
  Optional<PrivateNode> node() {
    return read().map(this::node);
  }

  /** Whether the programs it was created with are still there. */
  boolean startable() {
    return read()
        .map(DetachedState::home)
        .flatMap(
            home ->
                RabbitHome.in(home.folder(), home.programs())
                    .filter(found -> found.version().equals(home.version())))
        .isPresent();
  }

  /** The version whose data lies here, even if its programs are gone. */
  Optional<String> version() {
    return read().map(state -> state.getProperty("version"));
  }

  Optional<NodeGround> ground() {
    return read().map(this::ground);
  }

  private NodeGround ground(Properties state) {
    return new NodeGround(folder, Integer.parseInt(state.getProperty("port.epmd")));
  }

  private static RabbitHome home(Properties state) {
    return new RabbitHome(
        Path.of(state.getProperty("home")), state.getProperty("version"), paths(state, "programs"));
  }

  private PrivateNode node(Properties state) {
    return new PrivateNode(
        base,
        new NodeIdentity(
            BrokerSource.valueOf(state.getProperty("source")),
            home(state),
            ground(state),
            state.getProperty("name"),
            NodePorts.readFrom(state)),
        options(state),
        true);
  }

  PrivateNode create(
      String name, BrokerSource source, RabbitHome home, LocalBrokerOptions options) {
    FreePorts ports = FreePorts.of(base);
    Properties state = new Properties();
    state.setProperty("name", name);
    state.setProperty("source", source.name());
    state.setProperty("home", home.folder().toString());
    state.setProperty("version", home.version());
    state.setProperty("programs", text(home.programs().stream().map(Path::toString)));
    state.setProperty("port.epmd", Integer.toString(ports.next(0)));
    NodePorts.pick(ports, options.port(), options.plugins()).writeTo(state);
    state.setProperty("plugins", text(options.plugins().stream()));
    // Those of the environment too: the next process may have another one, the data has not.
    Stream<Path> folders =
        Stream.concat(
            options.pluginFolders().stream(), base.pluginFolders(home.version()).stream());
    state.setProperty("plugin.folders", text(folders.map(Path::toString)));
    state.setProperty("config", text(options.configLines().stream()));
    String advanced = options.advancedConfig();
    if (advanced != null) {
      state.setProperty("config.advanced", advanced);
    }
    state.setProperty("start.timeout", options.startTimeout().toString());
    write(state);
    return node(state);
  }

  private static LocalBrokerOptions options(Properties state) {
    return LocalBrokerOptions.defaults()
        .withPlugins(list(state, "plugins"))
        .withPluginFolders(paths(state, "plugin.folders"))
        .withConfigLines(list(state, "config"))
        .withAdvancedConfig(state.getProperty("config.advanced"))
        .withStartTimeout(Duration.parse(state.getProperty("start.timeout")));
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

  private Optional<Properties> read() {
    if (!Files.exists(file())) {
      return Optional.empty();
    }
    Properties state = new Properties();
    try (Reader reader = Files.newBufferedReader(file())) {
      state.load(reader);
      return Optional.of(state);
    } catch (IOException e) {
      throw new BrokerControlException("cannot read " + file(), e);
    }
  }

  private void write(Properties state) {
    try {
      Files.createDirectories(folder);
      Path draft = folder.resolve("node.properties.new");
      try (Writer writer = Files.newBufferedWriter(draft)) {
        state.store(writer, "A detached RabbitMQ node of Pocketwatch");
      }
      Files.move(
          draft, file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new BrokerControlException("cannot write " + file(), e);
    }
  }
}
