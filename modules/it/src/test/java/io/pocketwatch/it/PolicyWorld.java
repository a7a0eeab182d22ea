// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.TemporaryQueueOptions;
import io.pocketwatch.it.PolicyCases.Outcome;
import io.pocketwatch.localbroker.BrokerControlException;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.deadletter.BrokenHold;
import io.pocketwatch.server.deadletter.HoldCheck;
import io.pocketwatch.server.deadletter.PolicyCheck;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Publishes by every way of ours through queues that a policy reaches, and says what became of it.
 * The policy's pattern is for our queues and exchanges alone: what an operator does to the targets
 * is his own affair.
 */
final class PolicyWorld implements AutoCloseable {
  private static final Duration DELAY = Duration.ofMillis(930);
  private static final Duration TTL = Duration.ofMillis(900);
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final int EACH = 6;

  private final World quorum;
  private final World classic;
  private final String target;
  private final String isolated;
  private final String nobody;

  /** The name begins all that it declares. */
  PolicyWorld(BrokerNode node, String name) throws IOException {
    quorum = new World(node, name);
    classic = new World(node, name + "-classic");
    target = quorum.target(name + "-target");
    isolated = quorum.exchange(name + "-isolated", BuiltinExchangeType.DIRECT);
    quorum.channel().queueBind(target, isolated, "key");
    nobody = quorum.exchange(name + "-nobody", BuiltinExchangeType.DIRECT);
    quorum.exchange(PolicyCases.ELSEWHERE, BuiltinExchangeType.FANOUT);
    quorum.queue(PolicyCases.ELSEWHERE);
    quorum.channel().queueBind(PolicyCases.ELSEWHERE, PolicyCases.ELSEWHERE, "");
    // What a full queue has refused is passed on again after that, not after three minutes.
    node.ctl(
        "eval", "application:set_env(rabbit, dead_letter_worker_publisher_confirm_timeout, 500).");
  }

  /** What a policy did. */
  record Seen(
      int early, int missing, long copies, int refused, String start, String told, int sent) {
    Outcome outcome() {
      if (!start.isEmpty()) {
        return Outcome.REFUSED;
      }
      if (!told.isEmpty()) {
        return Outcome.TOLD;
      }
      if (early > 0 || missing > 0) {
        throw new AssertionError("harm that nobody is told of: " + this);
      }
      if (copies > 0) {
        return Outcome.SHOWN;
      }
      return refused > 0 ? Outcome.RECEIPT : Outcome.IMMUNE;
    }
  }

  DelayRoutes routes(World world) {
    boolean quorumHolds = world == quorum;
    HoldQueues queues = quorumHolds ? HoldQueues.quorum() : HoldQueues.classicAcceptingLoss();
    return world.routes().toBuilder()
        .hold(
            HoldOptions.builder()
                .namePrefix(world.prefix())
                .wheel(World.SMALL_WHEEL.toBuilder().queues(queues).build())
                .ttlQueues(queues)
                .temporaryQueues(TemporaryQueueOptions.builder().queues(queues).build())
                .build())
        .route(DelayRoute.builder("ttl").exchange(target).delays(TTL).build())
        .route(
            DelayRoute.builder("isolated")
                .exchange(isolated)
                .isolation(Isolation.DESTINATION)
                .build())
        .build();
  }

  /** A policy for all of ours, and only for them. */
  boolean set(boolean operator, String name, int priority, String definition) {
    try {
      List<String> words = new ArrayList<>();
      words.add(operator ? "set_operator_policy" : "set_policy");
      words.addAll(List.of("--priority", Integer.toString(priority)));
      words.addAll(List.of("--apply-to", operator ? "queues" : "all"));
      words.addAll(List.of(name, "^" + quorum.prefix() + "(-classic)?\\.", definition));
      quorum.node().ctl(words.toArray(String[]::new));
      return true;
    } catch (BrokerControlException e) { // a key that this version does not know
      return false;
    }
  }

  void clear(boolean operator, String name) {
    quorum.node().ctl(operator ? "clear_operator_policy" : "clear_policy", name);
  }

  /** Everything is declared, then the policy is set, then everything is used. */
  Optional<Seen> see(boolean operator, String definition) throws Exception {
    List<World> worlds = List.of(quorum, classic);
    quorum.channel().queuePurge(PolicyCases.ELSEWHERE);
    List<DelayedPublisher> publishers = new ArrayList<>();
    try (Inbox inbox = new Inbox(quorum.node().connectionFactory(), target)) {
      for (World world : worlds) {
        publishers.add(world.publisher(routes(world)));
        Futures.get(publishers.get(publishers.size() - 1).publish(message(target)));
      }
      inbox.await(2, Duration.ofSeconds(15));
      if (!set(operator, "operators", 0, definition)) {
        return Optional.empty();
      }
      try {
        Seen seen = use(publishers, inbox, definition.contains("expires"));
        return Optional.of(seen);
      } finally {
        clear(operator, "operators");
      }
    } finally {
      publishers.forEach(DelayedPublisher::close);
    }
  }

  /**
   * @param gone whether to wait until the broker has deleted what nobody consumes from; it looks
   *     for that every five seconds
   */
  private Seen use(List<DelayedPublisher> publishers, Inbox inbox, boolean gone) throws Exception {
    List<CompletableFuture<PublishReceipt>> answers = new ArrayList<>();
    for (DelayedPublisher publisher : publishers) {
      for (int i = 0; i < EACH; i++) {
        answers.add(publisher.publish(message(target)));
        answers.add(
            publisher.publish(message(target).delay(TTL).strategy(DelayStrategy.TTL_QUEUE)));
        answers.add(publisher.publish(message(target).strategy(DelayStrategy.TEMPORARY_QUEUE)));
        answers.add(publisher.publish(message(isolated)));
      }
    }
    int sent = answers.size();
    for (DelayedPublisher publisher : publishers) { // dropped by the sink, as nobody is bound
      answers.add(publisher.publish(message(nobody)));
    }
    Set<String> expected = new TreeSet<>();
    int refused = 0;
    for (CompletableFuture<PublishReceipt> answer : answers) {
      Optional<PublishReceipt> receipt = receipt(answer).filter(PublishReceipt::confirmed);
      receipt.map(PublishReceipt::id).ifPresent(expected::add);
      refused += receipt.isPresent() ? 0 : 1;
    }
    for (CompletableFuture<PublishReceipt> toNobody : answers.subList(sent, answers.size())) {
      receipt(toNobody).map(PublishReceipt::id).ifPresent(expected::remove);
    }
    try {
      Awaitility.await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> Set.copyOf(inbox.ids()).containsAll(expected));
    } catch (ConditionTimeoutException e) {
      // counted below
    }
    List<Inbox.Arrival> arrivals = inbox.arrivals();
    int early = (int) arrivals.stream().filter(each -> each.lateness().toMillis() < -20).count();
    Set<String> came = arrivals.stream().map(Inbox.Arrival::id).collect(Collectors.toSet());
    int missing = (int) expected.stream().filter(id -> !came.contains(id)).count();
    if (gone) {
      try {
        Awaitility.await()
            .atMost(Duration.ofSeconds(20))
            .until(
                () -> !quorum.exists(quorum.ours("sink")) && !classic.exists(classic.ours("sink")));
      } catch (ConditionTimeoutException e) {
        // so it is kept away, as by a policy of our own
      }
    }
    String told = told(); // before a start declares anew what is gone
    String start = start();
    long copies = quorum.count(PolicyCases.ELSEWHERE);
    return new Seen(early, missing, copies, refused, start, told, sent);
  }

  /** Nothing if there is an error instead, which the publisher sees as well. */
  private static Optional<PublishReceipt> receipt(CompletableFuture<PublishReceipt> answer)
      throws Exception {
    try {
      return Optional.of(answer.get(Futures.PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      return Optional.empty();
    }
  }

  private static DelayedMessage message(String exchange) {
    return DelayedMessage.to(exchange, "key").delay(DELAY).body(new byte[100]);
  }

  /** Why a publisher refuses to start; empty if it starts. */
  private String start() {
    for (World world : List.of(quorum, classic)) {
      try (DelayedPublisher started =
          DelayedPublisher.builder(world.node().connectionFactory())
              .routes(routes(world))
              .build()) {
        continue;
      } catch (TopologyException e) {
        return e.getMessage();
      }
    }
    return "";
  }

  /** What a server says; empty if it says nothing. */
  private String told() {
    return List.of(quorum, classic).parallelStream()
        .map(this::told)
        .filter(words -> !words.isEmpty())
        .findFirst()
        .orElse("");
  }

  private String told(World world) {
    BrokerNode node = world.node();
    NamedBroker broker =
        new NamedBroker(node.amqpUri(), node.version(), List.of(), Optional.empty());
    try {
      Optional<String> harm = new PolicyCheck(broker, routes(world)).look();
      return harm.isPresent()
          ? harm.get()
          : new HoldCheck(broker, routes(world))
              .look().broken().stream().map(BrokenHold::words).findFirst().orElse("");
    } catch (IOException | TimeoutException e) {
      throw new AssertionError("a server cannot look", e);
    }
  }

  World quorum() {
    return quorum;
  }

  String target() {
    return target;
  }

  @Override
  public void close() throws Exception {
    quorum.close();
    classic.close();
  }
}
