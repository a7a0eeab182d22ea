// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.internal.plan.PublishPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a broker does with one message, without a broker: routing on all keys, alternate exchanges,
 * queue TTLs and dead-lettering. Enough to walk a planned message through the declared topology;
 * whether a broker really behaves so is for the integration tests.
 */
final class BrokerModel {
  private final Map<String, ExchangeSpec> exchanges = new HashMap<>();
  private final Map<String, QueueSpec> queues = new HashMap<>();
  private final Map<String, Set<BindingSpec>> bindings = new HashMap<>();
  private @Nullable String expiration;

  /** A copy in a queue nobody takes it out of: how long it was held, by which key it got there. */
  record Arrival(String queue, Duration held, List<String> passed, String routingKey) {}

  void declare(Topology topology) {
    topology.exchanges().forEach(exchange -> exchanges.put(exchange.name(), exchange));
    topology.queues().forEach(queue -> queues.put(queue.name(), queue));
    topology.bindings().forEach(this::bind);
    topology.superseded().forEach(binding -> bindings.get(binding.source()).remove(binding));
  }

  void exchange(String name, String type) {
    exchanges.put(name, new ExchangeSpec(name, type, Map.of()));
  }

  void queue(String name) {
    queues.put(name, new QueueSpec(name, Map.of()));
  }

  void bind(BindingSpec binding) {
    assertThat(exchanges).as("source of %s", binding).containsKey(binding.source());
    assertThat((binding.toQueue() ? queues : exchanges).keySet())
        .as("target of %s", binding)
        .contains(binding.target());
    bindings.computeIfAbsent(binding.source(), source -> new LinkedHashSet<>()).add(binding);
  }

  void deleteExchange(String name) {
    exchanges.remove(name);
    bindings.remove(name);
    bindings.values().forEach(all -> all.removeIf(b -> !b.toQueue() && b.target().equals(name)));
  }

  void deleteQueue(String name) {
    queues.remove(name);
    bindings.values().forEach(all -> all.removeIf(b -> b.toQueue() && b.target().equals(name)));
  }

  /** Declares what the plan needs and publishes it. */
  List<Arrival> prepareAndPublish(Names names, PublishPlan plan) {
    plan.destinations().forEach(destination -> declare(Topology.of(names, destination)));
    TemporaryQueue temporary = plan.temporaryQueue();
    if (temporary != null) {
      queues.put(temporary.queue().name(), temporary.queue());
      if (temporary.binding() != null) {
        bind(temporary.binding());
      }
    }
    return publish(plan);
  }

  List<Arrival> publish(PublishPlan plan) {
    Map<String, Object> headers =
        Objects.requireNonNullElse(plan.properties().getHeaders(), Map.of());
    Set<String> copies = new LinkedHashSet<>();
    for (String header : List.of("CC", "BCC")) {
      if (headers.get(header) instanceof Collection<?> keys) {
        keys.forEach(key -> copies.add(key.toString()));
      }
    }
    Duration delayed =
        headers.get("x-delay") instanceof Number delay
            ? Duration.ofMillis(delay.longValue())
            : Duration.ZERO;
    List<Arrival> arrivals = new ArrayList<>();
    expiration = plan.properties().getExpiration();
    new Walk(plan.routingKey(), copies, delayed, List.of(), arrivals).enter(plan.exchange());
    return arrivals;
  }

  /** Where a message without our keys goes that somebody has moved into a hold queue. */
  List<Arrival> moved(String queue) {
    List<Arrival> arrivals = new ArrayList<>();
    expiration = null;
    new Walk(queue, Set.of(), Duration.ZERO, List.of(), arrivals).wait(queue);
    return arrivals;
  }

  /** One copy of the message between two queues. */
  private final class Walk {
    private final String routingKey;
    private final Set<String> keys;
    private final Duration held;
    private final List<String> passed;
    private final List<Arrival> arrivals;

    Walk(
        String routingKey,
        Set<String> copies,
        Duration held,
        List<String> passed,
        List<Arrival> arrivals) {
      this.routingKey = routingKey;
      this.keys = Stream.concat(Stream.of(routingKey), copies.stream()).collect(Collectors.toSet());
      this.held = held;
      this.passed = passed;
      this.arrivals = arrivals;
    }

    /** A queue gets one copy however many ways lead to it. */
    void enter(String exchange) {
      Set<String> reached = new LinkedHashSet<>();
      route(exchange, reached, new LinkedHashSet<>());
      reached.forEach(this::wait);
    }

    private void route(String exchange, Set<String> reached, Set<String> visited) {
      if (exchange.isEmpty()) {
        keys.stream().filter(queues::containsKey).forEach(reached::add);
        return;
      }
      assertThat(exchanges).containsKey(exchange);
      if (!visited.add(exchange)) {
        return;
      }
      ExchangeSpec spec = exchanges.get(exchange);
      List<BindingSpec> matching =
          bindings.getOrDefault(exchange, Set.of()).stream()
              .filter(binding -> matches(spec.type(), binding.routingKey()))
              .toList();
      for (BindingSpec binding : matching) {
        if (binding.toQueue()) {
          reached.add(binding.target());
        } else {
          route(binding.target(), reached, visited);
        }
      }
      if (matching.isEmpty()
          && spec.arguments().get("alternate-exchange") instanceof String next
          && !Topologies.isNowhere(next)) {
        route(next, reached, visited);
      }
    }

    private boolean matches(String type, String bindingKey) {
      return switch (type) {
        case "fanout", "x-delayed-message" -> true;
        case "x-local-random" -> false; // a node without a queue of its own
        case "headers" -> !passed.isEmpty(); // ours asks whether a hold queue has passed it on
        case "direct" -> keys.contains(bindingKey);
        case "topic" -> keys.stream().anyMatch(key -> topicMatches(words(bindingKey), words(key)));
        default -> throw new AssertionError("no model of exchange type " + type);
      };
    }

    private void wait(String queue) {
      assertThat(passed).as("queues passed; a second time is a cycle").doesNotContain(queue);
      Map<String, Object> arguments = queues.get(queue).arguments();
      if (Long.valueOf(0).equals(arguments.get("x-max-length"))) {
        return; // dropped: the sink
      }
      Long ttl = ttl(arguments);
      if (ttl == null) {
        arrivals.add(new Arrival(queue, held, passed, routingKey));
        return;
      }
      String next = (String) arguments.get("x-dead-letter-exchange");
      assertThat(next).as("where %s dead-letters to", queue).isNotNull();
      List<String> nowPassed = new ArrayList<>(passed);
      nowPassed.add(queue);
      Duration nowHeld = held.plusMillis(ttl);
      Walk onward =
          arguments.get("x-dead-letter-routing-key") instanceof String key
              ? new Walk(key, Set.of(), nowHeld, nowPassed, arrivals)
              : new Walk(routingKey, keys, nowHeld, nowPassed, arrivals);
      onward.enter(next);
    }
  }

  /** A queue without one of its own that dead-letters goes by the message's. */
  private @Nullable Long ttl(Map<String, Object> arguments) {
    if (arguments.get("x-message-ttl") instanceof Long ttl) {
      return ttl;
    }
    return expiration != null && arguments.containsKey("x-dead-letter-exchange")
        ? Long.valueOf(expiration)
        : null;
  }

  /** '*' stands for one word, '#' for any number of them. */
  private static boolean topicMatches(List<String> pattern, List<String> words) {
    if (pattern.isEmpty()) {
      return words.isEmpty();
    }
    String first = pattern.get(0);
    List<String> rest = pattern.subList(1, pattern.size());
    if (first.equals("#")) {
      return IntStream.rangeClosed(0, words.size())
          .anyMatch(skipped -> topicMatches(rest, words.subList(skipped, words.size())));
    }
    return !words.isEmpty()
        && (first.equals("*") || first.equals(words.get(0)))
        && topicMatches(rest, words.subList(1, words.size()));
  }

  private static List<String> words(String key) {
    return List.of(key.split("\\.", -1));
  }
}
