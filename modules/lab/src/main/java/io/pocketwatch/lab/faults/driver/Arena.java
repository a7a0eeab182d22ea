// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.lab.faults.account.Tail;
import io.pocketwatch.lab.faults.database.LedgerDatabase;
import io.pocketwatch.lab.faults.process.Child;
import io.pocketwatch.lab.faults.process.Effects;
import io.pocketwatch.lab.faults.process.FaultProcess;
import io.pocketwatch.localbroker.BrokerControlException;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.store.OpenStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A whole running system: broker, database, publisher, loader, consumer. Rounds take place in it
 * one after the other, until one of them breaks a promise.
 */
final class Arena implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(90);
  private static final long LOOK_MILLIS = 300;

  /** What is neither ready nor unacknowledged is on its way to where it is dead-lettered. */
  private static final String[] LIST_QUEUES = {
    "-q",
    "list_queues",
    "name",
    "messages",
    "messages_ready",
    "messages_unacknowledged",
    "state",
    "leader",
    "online"
  };

  private final Path folder;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final ConfigurationFile configuration;
  final Ground ground;
  final LedgerDatabase database;
  final Nodes nodes;
  final OpenStore store;
  final Child publisher;
  final Child consumer;
  final Child loader;
  final Path orders;

  /** What the publisher did, and what the consumers saw. */
  final List<Tail> journals;

  private Arena(Path folder, Ground ground)
      throws IOException, TimeoutException, InterruptedException, SQLException {
    this.folder = folder;
    this.ground = ground;
    this.orders = folder.resolve("orders.txt");
    Path sent = folder.resolve("sent.txt");
    Path arrivals = folder.resolve("arrivals.txt");
    this.journals = List.of(new Tail(sent), new Tail(arrivals));
    try {
      database = keep(ground.database().start(folder));
      nodes = keep(Nodes.start(ground));
      store = keep(database.open());
      Effects.createTable(store.pool());
      Targets.declare(nodes.all());
      configuration = Setting.write(folder, database.url(), ground);
      publisher = keep(child(FaultProcess.PUBLISHER, orders.toString(), sent.toString()));
      loader = keep(child(FaultProcess.LOADER));
      consumer = keep(child(FaultProcess.CONSUMER, arrivals.toString()));
    } catch (IOException
        | TimeoutException
        | InterruptedException
        | SQLException
        | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Starts everything; it may not be ready yet. */
  static Arena open(Path folder, Ground ground)
      throws IOException, TimeoutException, InterruptedException, SQLException {
    return new Arena(folder, ground);
  }

  /** A fault before that would disturb nothing. */
  void awaitReady() throws IOException, TimeoutException, InterruptedException {
    Instant end = Instant.now().plus(START);
    while (!(Targets.allConsumed(node()) && !store.store().heartbeats().isEmpty())) {
      if (Instant.now().isAfter(end)) {
        throw new CommandFailedException(
            ExitCodes.FAILED, "loader or consumer did not start; see their logs in " + folder);
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  private <T extends AutoCloseable> T keep(T each) {
    open.push(each);
    return each;
  }

  /** One more loader; the caller closes it. */
  Child oneMoreLoader() {
    return child(FaultProcess.LOADER);
  }

  private Child child(String role, String... more) {
    String[] arguments = new String[3 + more.length];
    arguments[0] = role;
    arguments[1] = configuration.file().toString();
    arguments[2] = nodes.addresses();
    System.arraycopy(more, 0, arguments, 3, more.length);
    return Child.start(folder, arguments);
  }

  BrokerNode node() {
    return nodes.all().get(0);
  }

  String namePrefix() {
    return configuration.routes().hold().namePrefix();
  }

  int ownEnds() {
    return publisher.ownEnds() + loader.ownEnds() + consumer.ownEnds() + database.ownEnds();
  }

  /**
   * Which queues hold messages and what the nodes have logged, in files: for whoever wants to know
   * why some are missing.
   */
  void noteBroker() throws IOException {
    note("queues.txt", Arena::queuesWithMessages, node());
    for (BrokerNode each : nodes.all()) {
      note(each.name() + ".log", BrokerNode::log, each);
    }
  }

  private void note(String file, Function<BrokerNode, String> words, BrokerNode node)
      throws IOException {
    String text;
    try {
      text = words.apply(node);
    } catch (BrokerControlException e) {
      text = ErrorWords.of(e); // it may be what is broken
    }
    Files.writeString(folder.resolve(file), text);
  }

  private static String queuesWithMessages(BrokerNode node) {
    return node.ctl(LIST_QUEUES)
        .lines()
        .filter(line -> !line.contains("\t0\t0\t0\trunning"))
        .collect(Collectors.joining("\n"));
  }

  /** The youngest first, whatever the others do. */
  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) { // the others are to end too
        System.err.println("could not be closed: " + ErrorWords.of(e));
      }
    }
  }
}
