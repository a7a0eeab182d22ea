// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A node run from unpacked or installed programs, with everything it has in one folder. */
final class PrivateNode implements BrokerNode {

  private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(10);
  private static final Duration COMMAND_LIMIT = Duration.ofSeconds(60);
  private static final int SHOWN_LINES = 20;

  /** Output for a node that answers on AMQP already, but does not yet report that it is up. */
  private static final String NOT_YET = "requires the 'rabbit' app to be running";

  private final Environment base;
  private final NodeIdentity identity;
  private final LocalBrokerOptions options;
  private final boolean detached;
  private Duration clock = Duration.ZERO;

  PrivateNode(
      Environment base, NodeIdentity identity, LocalBrokerOptions options, boolean detached) {
    this.base = base;
    this.identity = identity;
    this.options = options;
    this.detached = detached;
  }

  @Override
  public String name() {
    return identity.name();
  }

  @Override
  public String version() {
    return identity.home().version();
  }

  @Override
  public BrokerSource source() {
    return identity.source();
  }

  @Override
  public URI amqpUri() {
    return identity.ports().amqpUri(FreePorts.HOST);
  }

  @Override
  public Optional<URI> managementUri() {
    return identity.ports().managementUri(FreePorts.HOST);
  }

  @Override
  public boolean running() {
    return process().isPresent();
  }

  @Override
  public synchronized void start() {
    if (running()) {
      return;
    }
    requireItsPorts();
    try {
      identity.ground().prepare();
      Epmd.ensure(base, identity.home(), identity.ground());
      NodeFolder folder = identity.folder();
      folder.writeConfiguration(identity.ports(), options);
      if (options.settableClock()) {
        SettableClock.set(folder, base, clock);
      }
      TornSnapshots.complete(folder.data());
      NodeProcess.launch(
          base,
          folder.pidFile(),
          folder.console(),
          environment(),
          List.of(identity.home().script("rabbitmq-server").toString()));
    } catch (IOException e) {
      throw new BrokerControlException("cannot start node " + name(), e);
    }
    awaitStart();
  }

  /** Otherwise the node would fail with many lines, or another broker would answer in its place. */
  private void requireItsPorts() {
    identity
        .ports()
        .taken()
        .ifPresent(
            taken -> {
              throw new BrokerControlException(
                  "node %s cannot start: %s is taken by another program; end that one%s"
                      .formatted(
                          name(), taken, detached ? ", or wipe the node, for other ports" : ""));
            });
  }

  /** Waits for the start. A start that failed leaves no process behind. */
  private void awaitStart() {
    boolean decided =
        Polling.until(options.startTimeout(), () -> ended() || AmqpProbe.answers(amqpUri()));
    boolean ended = ended();
    if (decided && !ended) {
      return;
    }
    String what =
        ended
            ? "ended while starting"
            : "does not answer after " + options.startTimeout().toSeconds() + " s";
    String lastWords = identity.folder().lastWords(SHOWN_LINES);
    kill();
    throw new BrokerControlException(
        "RabbitMQ " + version() + ", node " + name() + ", " + what + ":\n" + lastWords);
  }

  /** Whether it ran and is gone; the pid file tells it from one that has yet to begin. */
  private boolean ended() {
    return identity.folder().pidFile().toFile().length() > 0 && !running();
  }

  @Override
  public synchronized void stop() {
    process()
        .ifPresent(
            process -> {
              process.signal("CONT"); // a paused node would never hear the request
              process.terminate(STOP_LIMIT);
            });
  }

  @Override
  public synchronized void kill() {
    process().ifPresent(process -> process.kill(KILL_LIMIT));
  }

  @Override
  public synchronized void wipe() {
    kill();
    try {
      identity.folder().delete();
      clock = Duration.ZERO;
    } catch (IOException e) {
      throw new BrokerControlException("cannot delete the data of node " + name(), e);
    }
  }

  @Override
  public synchronized void pause() {
    required().signal("STOP");
  }

  @Override
  public synchronized void resume() {
    required().signal("CONT");
  }

  @Override
  public synchronized void setClock(Duration ahead) {
    if (!options.settableClock()) {
      BrokerNode.super.setClock(ahead);
    }
    clock = ahead;
    if (!running()) {
      return; // it has it when it starts
    }
    try {
      SettableClock.set(identity.folder(), base, ahead);
    } catch (IOException e) {
      throw new BrokerControlException("cannot set the clock of node " + name(), e);
    }
  }

  @Override
  public String ctl(String... arguments) {
    try {
      Command.Result result = run(arguments);
      if (!result.ok() && result.errors().contains(NOT_YET)) {
        run("await_startup", "--timeout", "30");
        result = run(arguments);
      }
      if (!result.ok()) {
        throw new BrokerControlException(
            "rabbitmqctl %s on node %s ended with %s: %s"
                .formatted(
                    String.join(" ", arguments),
                    name(),
                    result.exitCode(),
                    (result.errors() + result.output()).strip()));
      }
      return result.output();
    } catch (IOException e) {
      throw new BrokerControlException(
          "rabbitmqctl " + String.join(" ", arguments) + " on node " + name() + " failed", e);
    }
  }

  private Command.Result run(String... arguments) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(identity.home().script("rabbitmqctl").toString());
    line.addAll(List.of(arguments));
    return new Command(line, environment(), identity.ground().folder()).run(COMMAND_LIMIT);
  }

  @Override
  public String log() {
    return identity.folder().log(name());
  }

  @Override
  public long residentBytes() {
    return required().residentBytes();
  }

  @Override
  public Duration cpuTime() {
    return required().cpuTime();
  }

  @Override
  public void close() {
    if (!detached) {
      wipe();
      identity.ports().giveBack();
    }
  }

  @Override
  public String toString() {
    return "RabbitMQ %s, node %s, port %s (%s)"
        .formatted(version(), name(), identity.ports().amqp(), source().label());
  }

  private Optional<NodeProcess> process() {
    return NodeProcess.find(identity.folder().pidFile(), identity.ground());
  }

  private NodeProcess required() {
    return process()
        .orElseThrow(() -> new BrokerControlException("node " + name() + " does not run"));
  }

  private Map<String, String> environment() {
    Map<String, String> variables =
        NodeEnvironment.node(base, identity, options.pluginFolders(base, version()));
    if (options.settableClock()) {
      SettableClock.environment(variables, identity.folder());
    }
    return variables;
  }
}
