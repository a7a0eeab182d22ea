// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.server.hold.PassiveDeclares;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The queues a route's messages come into, as the broker says over AMQP. */
final class RouteQueues {
  private static final Duration KEEP = Duration.ofSeconds(5);
  private static final int REMEMBERED = 1_000;

  private final BrokerSide broker;
  private final BrokerLooks<Set<String>, Seen> looks;

  /**
   * @param threads to ask on
   */
  RouteQueues(BrokerSide broker, BrokerThreads threads) {
    this.broker = broker;
    CachedAnswers<Set<String>, Seen> answers =
        new CachedAnswers<>(REMEMBERED, each -> 1, KEEP, this::ask);
    this.looks = new BrokerLooks<>(threads, answers::get);
  }

  /**
   * What was seen.
   *
   * @param at when
   * @param problem why the broker was not asked; null if it was
   */
  record Seen(Instant at, @Nullable String problem, List<Line> queues) {}

  /**
   * A queue.
   *
   * @param messages that wait in it for a consumer; null if it cannot be asked
   * @param consumers how many it has; null if it cannot be asked
   * @param problem why it cannot; null if it can
   */
  record Line(
      String name,
      @Nullable Long messages,
      @Nullable Integer consumers,
      @Nullable String problem) {}

  /** At most five seconds old. */
  Seen look(Set<String> queues) {
    try {
      return queues.isEmpty()
          ? new Seen(Instant.now(), null, List.of())
          : looks.get(Set.copyOf(queues));
    } catch (Problem e) {
      return new Seen(Instant.now(), e.detail(), List.of());
    }
  }

  private Seen ask(Set<String> queues) {
    try {
      return Channels.use(
          broker.connect("pocketwatch target queues"),
          connection -> {
            PassiveDeclares asking = new PassiveDeclares(connection);
            List<Line> lines = new ArrayList<>();
            for (String queue : queues.stream().sorted().toList()) {
              lines.add(line(queue, asking.ask(queue)));
            }
            return new Seen(Instant.now(), null, lines);
          });
    } catch (IOException | TimeoutException e) {
      throw BrokerThreads.away("the broker cannot be asked for the queues of the route");
    }
  }

  private static Line line(String queue, PassiveDeclares.Answer answer) {
    return answer.refusal().isEmpty()
        ? new Line(queue, answer.messages(), answer.consumers(), null)
        : new Line(
            queue,
            null,
            null,
            answer.isAbsent() ? "there is no queue '%s'".formatted(queue) : answer.refusal());
  }
}
