// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.server.broker.PassiveDeclares;
import io.pocketwatch.server.http.BrokerThreads;
import io.pocketwatch.server.http.CachedAnswers;
import io.pocketwatch.server.http.Problem;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The exchange and the queues of a route's messages, asked over AMQP. */
final class RouteQueues {
  private static final Duration KEEP = Duration.ofSeconds(5);
  private static final int REMEMBERED = 1_000;

  private final BrokerSide broker;
  private final BrokerThreads threads;
  private final CachedAnswers<Question, Seen> looks =
      new CachedAnswers<>(REMEMBERED, KEEP, this::ask);

  /**
   * @param threads to ask on
   */
  RouteQueues(BrokerSide broker, BrokerThreads threads) {
    this.broker = broker;
    this.threads = threads;
  }

  /**
   * The exchange and queues to ask for.
   *
   * @param exchange null for none
   */
  private record Question(@Nullable String exchange, Set<String> queues) {}

  /**
   * The answer of the broker.
   *
   * @param at when the broker was asked
   * @param problem why the broker was not asked; null if it was
   * @param exchange null if none was asked for, or the broker was not asked
   */
  record Seen(
      Instant at, @Nullable String problem, @Nullable Exchange exchange, List<Line> queues) {}

  /**
   * An exchange.
   *
   * @param problem that it is not there, or why it cannot be looked at; null if it is there
   */
  record Exchange(String name, @Nullable String problem) {}

  /**
   * A queue.
   *
   * @param messages that wait in it for a consumer; null if it cannot be asked
   * @param consumers how many it has; null if it cannot be asked
   * @param problem why it cannot be asked; null if it can
   */
  record Line(
      String name,
      @Nullable Long messages,
      @Nullable Integer consumers,
      @Nullable String problem) {}

  /**
   * At most five seconds old.
   *
   * @param exchange null for none
   */
  Seen look(@Nullable String exchange, Set<String> queues) {
    try {
      return exchange == null && queues.isEmpty()
          ? new Seen(Instant.now(), null, null, List.of())
          : looks.get(new Question(exchange, Set.copyOf(queues)), threads);
    } catch (Problem e) {
      return new Seen(Instant.now(), e.detail(), null, List.of());
    }
  }

  private Seen ask(Question question) {
    try {
      return Channels.use(
          broker.connect("pocketwatch target queues"),
          connection -> {
            PassiveDeclares asking = new PassiveDeclares(connection);
            List<Line> lines = new ArrayList<>();
            for (String queue : question.queues().stream().sorted().toList()) {
              lines.add(line(queue, asking.ask(queue)));
            }
            return new Seen(Instant.now(), null, exchange(question.exchange(), asking), lines);
          });
    } catch (IOException | TimeoutException e) {
      throw BrokerThreads.away("the broker cannot be asked for the queues of the route");
    }
  }

  private static @Nullable Exchange exchange(@Nullable String name, PassiveDeclares asking)
      throws IOException {
    if (name == null) {
      return null;
    }
    String refusal = asking.askExchange(name);
    return new Exchange(
        name,
        refusal.isEmpty()
            ? null
            : refusal.startsWith("NOT_FOUND")
                ? "there is no exchange '%s'".formatted(name)
                : refusal);
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
