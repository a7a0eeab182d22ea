// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A node that outlives the JVM that started it, with its data, and that the next JVM finds again.
 * It always runs from an installed RabbitMQ or from downloaded packages. Thread-safe; several
 * processes may use the same folder.
 */
public final class DetachedBroker {

  /** The AMQP port that is taken when it is free and none was asked for. */
  public static final int DEFAULT_PORT = 5672;

  private final Environment base;
  private final Path folder;

  private DetachedBroker(Environment base, Path folder) {
    this.base = base;
    this.folder = folder.toAbsolutePath().normalize();
  }

  /** The broker of this user, in {@code $XDG_STATE_HOME/pocketwatch/broker}. */
  public static DetachedBroker ofUser() {
    Environment environment = Environment.ofProcess();
    return new DetachedBroker(environment, environment.stateFolder().resolve("broker"));
  }

  /** The broker in this folder, which nothing else may use. */
  public static DetachedBroker in(Path folder) {
    return new DetachedBroker(Environment.ofProcess(), folder);
  }

  /** The folder with the node's data, configuration and log. */
  public Path folder() {
    return folder;
  }

  /**
   * Starts the node, or returns it as it is when it runs. A node that ran before comes back with
   * its version, data, plugins and ports, whatever the options say of them.
   *
   * @throws BrokerUnavailableException if neither source can supply it
   * @throws BrokerControlException if it does not start. A taken port, of the options or of an
   *     earlier run, is reported before anything is fetched or started
   */
  public BrokerNode start(LocalBrokerOptions options, Consumer<String> listener) {
    return exclusively(
        () -> {
          Optional<DetachedState> known = state();
          Optional<PrivateNode> running = running(known);
          if (running.isPresent()) {
            listener.accept("Already running: " + running.get());
            return running.get();
          }
          PrivateNode node =
              known
                  .filter(DetachedState::startable)
                  .orElseGet(() -> create(known, options, listener))
                  .node(base, options);
          listener.accept("Starting " + node);
          node.start();
          return node;
        });
  }

  /** The node, if it runs now. */
  public Optional<BrokerNode> running() {
    return running(state()).map(BrokerNode.class::cast);
  }

  /**
   * Stops the node and keeps its data; false if it did not run. The stop is orderly, unless its
   * programs are gone and it can no longer end by itself: then its process is killed.
   *
   * @throws BrokerControlException if it is still there after 60 s
   */
  public boolean stop(Consumer<String> listener) {
    return exclusively(
        () -> {
          Optional<DetachedState> known = state();
          Optional<PrivateNode> node = running(known);
          known.ifPresent(
              state -> {
                node.ifPresent(running -> stop(running, state.startable(), listener));
                Epmd.end(state.identity().ground());
              });
          return node.isPresent();
        });
  }

  private static void stop(PrivateNode node, boolean startable, Consumer<String> listener) {
    if (startable) {
      node.stop();
      return;
    }
    listener.accept("The programs of " + node + " are gone; stopping its process");
    try {
      node.stop();
    } catch (BrokerControlException e) { // its programs are gone, so it cannot end in order
      listener.accept("It does not end by itself; killing it: " + e.getMessage());
      node.kill();
    }
  }

  /** Kills the node if it runs, and forgets its data, ports and version. */
  public void wipe() {
    exclusively(
        () -> {
          Optional<DetachedState> known = state();
          running(known).ifPresent(PrivateNode::kill);
          known.ifPresent(state -> Epmd.end(state.identity().ground()));
          try {
            new NodeFolder(folder).delete();
          } catch (IOException e) {
            throw new BrokerControlException("cannot delete " + folder, e);
          }
          return true;
        });
  }

  private Optional<DetachedState> state() {
    return DetachedState.read(folder);
  }

  private Optional<PrivateNode> running(Optional<DetachedState> known) {
    return known
        .map(state -> state.node(base, LocalBrokerOptions.defaults()))
        .filter(PrivateNode::running);
  }

  private DetachedState create(
      Optional<DetachedState> earlier, LocalBrokerOptions options, Consumer<String> listener) {
    if (options.port() != 0 && !FreePorts.free(options.port())) {
      throw new BrokerControlException(
          "port %s is taken by another program on %s; end that one, or ask for another port, or for"
                  .formatted(options.port(), FreePorts.HOST)
              + " none, which takes any free one");
    }
    LocalBrokerOptions ported = options.port() == 0 ? options.withPort(DEFAULT_PORT) : options;
    // Data of an earlier node whose programs are gone can be read by the same version only.
    LocalBrokerOptions wanted =
        earlier.map(state -> ported.withVersion(state.version())).orElse(ported);
    return new Ladder<>(List.of(new InstalledRung(base), new PackagesRung(base)))
        .climb(
            wanted,
            listener,
            rung -> {
              RabbitHome home = rung.home(wanted, listener);
              DetachedState created = DetachedState.of(base, folder, rung.source(), home, wanted);
              created.write();
              return created;
            });
  }

  /** Of two starts at the same moment, only one may find that nothing runs. */
  private synchronized <T> T exclusively(Supplier<T> action) {
    Path lockFile = folder.resolveSibling(folder.getFileName() + ".lock");
    try {
      Files.createDirectories(folder.resolveSibling("."));
      try (FileChannel channel =
              FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          var lock = channel.lock()) {
        if (!lock.isValid()) {
          throw new IOException("no lock on " + lockFile);
        }
        return action.get();
      }
    } catch (IOException e) {
      throw new BrokerControlException("cannot use " + folder, e);
    }
  }
}
