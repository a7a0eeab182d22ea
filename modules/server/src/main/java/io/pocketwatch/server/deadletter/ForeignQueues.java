// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.ManagementClient;
import io.pocketwatch.server.broker.ManagementClient.FoundQueue;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.broker.PassiveDeclares;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reports queues under our prefix that this configuration does not declare, unroutable messages,
 * and hidden effects of policies. It changes nothing, and names the step that helps.
 */
public final class ForeignQueues {
  private static final String REMEDY =
      "Give our queues a policy of their own: see Policies in the manual's page Install.";

  private final Names names;
  private final Set<String> known;

  ForeignQueues(DelayRoutes routes, BrokerCapabilities facts) {
    this.names = new Names(routes.hold().namePrefix());
    this.known =
        Topology.of(routes, facts).queues().stream()
            .map(QueueSpec::name)
            .collect(Collectors.toSet());
  }

  public static void named(
      NamedBroker broker, DelayRoutes routes, @Nullable URI management, Screen screen)
      throws IOException, TimeoutException {
    List<FoundQueue> all = all(broker, management, screen);
    Channels.use(
            broker.connect("pocketwatch hold check"),
            connection ->
                new ForeignQueues(routes, broker.capabilities(connection))
                    .words(all, new PassiveDeclares(connection)))
        .forEach(screen::say);
  }

  private static List<FoundQueue> all(NamedBroker broker, @Nullable URI management, Screen screen) {
    URI api =
        management != null
            ? management
            : broker
                .management()
                .orElseGet(() -> ManagementClient.usual(broker.connectionFactory()));
    try {
      return new ManagementClient(api, broker.connectionFactory())
          .queues(broker.connectionFactory().getVirtualHost());
    } catch (CommandFailedException e) {
      if (management != null) {
        throw e;
      }
      screen.detail("Queues that no configuration names are not looked for: " + ErrorWords.of(e));
      return List.of();
    }
  }

  /** Adds effects of policies on our queues that no probe can show. */
  private void addPolicies(List<FoundQueue> all, List<String> words) {
    all.stream()
        .filter(each -> names.holds(each.name()) != null && each.policy().has("message-ttl"))
        .findFirst()
        .ifPresent(
            each ->
                words.add(
                    "A policy gives %s a message-ttl of %s ms: what is held for longer comes early. %s"
                        .formatted(
                            each.name(), each.policy().get("message-ttl").asText(), REMEDY)));
    all.stream()
        .filter(each -> each.name().startsWith(names.sink() + "."))
        .filter(each -> each.policy().has("dead-letter-exchange"))
        .findFirst()
        .ifPresent(
            each ->
                words.add(
                    "A policy gives %s a dead-letter-exchange: each delivered message is copied to '%s'. %s"
                        .formatted(
                            each.name(),
                            each.policy().get("dead-letter-exchange").asText(),
                            REMEDY)));
  }

  /** A sentence for each thing that a person should know. */
  private List<String> words(List<FoundQueue> all, PassiveDeclares queues) throws IOException {
    List<String> words = new ArrayList<>();
    long unroutable = queues.ask(names.unroutable()).messages();
    if (unroutable > 0) {
      words.add(
          "%s in queue '%s': 'pocketwatch unroutable --send' sends them on, or says why not."
              .formatted(Numbers.of(unroutable, "message"), names.unroutable()));
    }
    int empty = 0;
    for (FoundQueue each : all) {
      String queue = each.name();
      if (!queue.startsWith(names.prefix() + ".") || known.contains(queue)) {
        continue;
      }
      boolean hold = names.holds(queue) != null;
      if (!hold && names.isOurQueue(queue)) {
        continue; // of one target, message or consumer
      }
      long messages = queues.ask(queue).messages();
      if (!hold) {
        words.add(foreign(queue, messages));
      } else if (messages == 0) {
        empty++;
      } else {
        words.add(
            "%s is of another configuration and holds %s: they leave it when they are due."
                .formatted(queue, Numbers.of(messages, "message")));
      }
    }
    if (empty > 0) {
      words.add(
          "Empty, and of other configurations: %s. Delete them if no program uses those."
              .formatted(Numbers.of(empty, "hold queue")));
    }
    addPolicies(all, words);
    return words;
  }

  private String foreign(String queue, long messages) {
    String is = "%s is no queue of ours, with %s".formatted(queue, Numbers.of(messages, "message"));
    return messages == 0
        ? is + "."
        : is
            + ". If they were moved there out of ours, move them to the exchange '%s', and then"
                .formatted(names.unroutable())
            + " 'pocketwatch unroutable --send' sends them on.";
  }
}
