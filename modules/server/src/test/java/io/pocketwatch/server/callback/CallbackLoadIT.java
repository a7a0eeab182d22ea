// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.server.callback.OddTarget.Call;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many messages for targets that are slow, dead, broken, answer twice or close mid-body: each is
 * settled once or parked. Says how late a healthy route was alone and beside them, after half as
 * many to warm up: while their code is compiled for the first time everybody waits, up to a second.
 * {@code -Dcallback.messages=10000} for the full load.
 */
@Tag("wide")
class CallbackLoadIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final int MESSAGES = Integer.getInteger("callback.messages", 1_000);
  private static final int BATCH = 4;
  private static final int HEALTHY_BATCH = 5;
  private static final long EVERY_MILLIS = 100;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int TRIES = 2;

  @TempDir private Path folder;
  private final Map<Kind, OddTarget> targets = new EnumMap<>(Kind.class);
  private final ScheduledExecutorService clock =
      Executors.newScheduledThreadPool(Kind.values().length);
  private TestDatabase database;
  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    database = TestDatabases.postgresql();
    StringBuilder routes = new StringBuilder("routes:\n");
    StringBuilder callbacks =
        new StringBuilder(
            "server:\n  limits: {requests: 100000, schedules: 100000}\n  callbacks:\n");
    for (Kind kind : Kind.values()) {
      OddTarget target = new OddTarget(kind.answer);
      targets.put(kind, target);
      routes.append(
          "  %s: {routing-key: load-%s, tracking: full, retries: [200ms]}\n".formatted(kind, kind));
      callbacks.append(
          "    %s: {url: '%s', timeout: 20s, concurrency: 8, rate: 1000}\n"
              .formatted(kind, target.url()));
    }
    targets.get(Kind.DEAD).close();
    server =
        RunningServer.start(
            folder,
            routes
                + "wheel: {max-delay: 1h, resolution: 100ms, hands: [10m, 1m, 10s, 1s, 100ms]}\n"
                + "loader: {every: 1h, lead: 1h, sweep: 200ms}\n"
                + callbacks,
            database.url(),
            broker.amqpUri(),
            Map.of());
  }

  @AfterEach
  void stop() throws Exception {
    clock.shutdownNow();
    server.close();
    targets.values().forEach(OddTarget::close);
    database.close();
  }

  @Test
  void each_is_settled_once_or_parked() throws Exception {
    List<Kind> odd = Kind.odd();
    int each = MESSAGES / odd.size();
    int warmUp = each / 2;
    besides(odd, warmUp);
    Paced alone = pace(Kind.HEALTHY, HEALTHY_BATCH, Math.max(200, each));
    alone.await();
    List<Call> before = List.copyOf(targets.get(Kind.HEALTHY).calls());
    Paced beside = pace(Kind.HEALTHY, HEALTHY_BATCH, Integer.MAX_VALUE);
    besides(odd, each);
    beside.stop();
    beside.await();

    for (Kind kind : odd) {
      accountFor(kind, warmUp + each);
    }
    List<Call> all = List.copyOf(targets.get(Kind.HEALTHY).calls());
    accountFor(Kind.HEALTHY, alone.sent() + beside.sent());
    report(lateness(before), lateness(all.subList(before.size(), all.size())));
  }

  /** So many for each of these, until all have come to their end. */
  private void besides(List<Kind> kinds, int messages) {
    List<Paced> load = kinds.stream().map(kind -> pace(kind, BATCH, messages)).toList();
    load.forEach(Paced::await);
  }

  /** Sends the messages of a route at an even pace. */
  private Paced pace(Kind kind, int batch, int messages) {
    return new Paced(kind, batch, messages);
  }

  private void accountFor(Kind kind, int messages) throws Exception {
    List<StoredMessage> rows = rows(kind);
    assertThat(rows).as(kind.name()).hasSize(messages);
    assertThat(rows)
        .allSatisfy(
            row -> {
              assertThat(row.state()).isEqualTo(kind.end);
              if (kind.end == MessageState.PARKED) {
                assertThat(row.reason())
                    .startsWith("callback, given up after try " + TRIES + ": " + kind.reason);
              }
            });
    int tries = kind.end == MessageState.PARKED ? TRIES : 1;
    if (kind != Kind.DEAD) {
      Map<String, Long> calls =
          targets.get(kind).calls().stream()
              .collect(Collectors.groupingBy(Call::id, Collectors.counting()));
      assertThat(calls).as("ids called on %s", kind).hasSize(messages);
      assertThat(calls.values()).as("calls per id of %s", kind).containsOnly((long) tries);
    }
    JsonNode counted = counted(kind);
    assertThat(counted.at("/called").intValue()).as("called").isEqualTo(messages * tries);
    assertThat(counted.at("/retried").intValue()).isEqualTo(messages * (tries - 1));
    assertThat(counted.at("/parked").intValue())
        .isEqualTo(kind.end == MessageState.PARKED ? messages : 0);
    assertThat(counted.at("/inFlight").intValue()).isZero();
    assertThat(counted.at("/lastProblem").asText("")).startsWith(kind.reason);
  }

  private List<StoredMessage> rows(Kind kind) {
    MessageQuery query = MessageQuery.all().route(kind.name()).limit(1_000);
    List<StoredMessage> rows = new ArrayList<>();
    List<MessageSummary> page = server.store().summaries(query);
    while (!page.isEmpty()) {
      page.forEach(row -> rows.add(row.stored()));
      page = server.store().summaries(query.after(rows.get(rows.size() - 1)));
    }
    return rows;
  }

  private JsonNode counted(Kind kind) throws IOException {
    JsonNode all = RunningServer.json(server.get("/api/v1/callbacks"), 200).at("/callbacks");
    for (JsonNode route : all) {
      if (route.at("/route").textValue().equals(kind.name())) {
        return route;
      }
    }
    throw new AssertionError(all.toString());
  }

  private static List<Duration> lateness(Collection<Call> calls) {
    return calls.stream().map(Call::lateness).sorted().toList();
  }

  private static Duration quantile(List<Duration> sorted, double share) {
    return sorted.get((int) Math.ceil(share * sorted.size()) - 1);
  }

  /** No assertion: a busy machine is slow. */
  private static void report(List<Duration> alone, List<Duration> beside) {
    Duration before = quantile(alone, 0.99);
    Duration during = quantile(beside, 0.99);
    System.out.printf(
        "CallbackLoadIT: %s messages for odd targets. Lateness of a healthy route, ms: alone p50 %s,"
            + " p99 %s of %s; beside them p50 %s, p99 %s of %s; p99 %.2f x%n",
        MESSAGES,
        quantile(alone, 0.5).toMillis(),
        before.toMillis(),
        alone.size(),
        quantile(beside, 0.5).toMillis(),
        during.toMillis(),
        beside.size(),
        (double) during.toNanos() / before.toNanos());
  }

  /** What a target does, and what its messages come to. */
  private enum Kind {
    HEALTHY(call -> OddTarget.GOOD, MessageState.SETTLED, ""),
    SLOW(Kind::slowly, MessageState.SETTLED, ""),
    TWICE(call -> OddTarget.GOOD + OddTarget.GOOD, MessageState.SETTLED, ""),
    BROKEN(call -> OddTarget.BROKEN, MessageState.PARKED, "HTTP status 500"),
    MID_BODY(call -> OddTarget.MID_BODY, MessageState.PARKED, "no answer: "),
    DEAD(call -> OddTarget.GOOD, MessageState.PARKED, "no answer: ");

    private final Function<Call, String> answer;
    private final MessageState end;
    private final String reason;

    Kind(Function<Call, String> answer, MessageState end, String reason) {
      this.answer = answer;
      this.end = end;
      this.reason = reason;
    }

    static List<Kind> odd() {
      return List.of(SLOW, TWICE, BROKEN, MID_BODY, DEAD);
    }

    private static String slowly(Call call) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
      return OddTarget.GOOD;
    }
  }

  /** A sender of one route. */
  private final class Paced {
    private final Kind kind;
    private final AtomicInteger sent = new AtomicInteger();
    private final int messages;
    private final long before;
    private final ScheduledFuture<?> sending;

    Paced(Kind kind, int batch, int messages) {
      this.kind = kind;
      this.messages = messages;
      this.before = server.store().count(MessageQuery.all().route(kind.name()));
      this.sending =
          clock.scheduleAtFixedRate(
              () -> send(batch), EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private synchronized void send(int batch) {
      int more = Math.min(batch, messages - sent.get());
      if (more <= 0 || sending.isCancelled()) {
        return;
      }
      String each = "{\"route\": \"" + kind + "\", \"delay\": \"2s\", \"body\": {}}";
      String body =
          IntStream.range(0, more).mapToObj(i -> each).collect(Collectors.joining(",", "", ""));
      try {
        JsonNode answer =
            RunningServer.json(
                server.post("/api/v1/messages/batch", "{\"messages\": [" + body + "]}"), 200);
        assertThat(answer.at("/accepted").intValue()).isEqualTo(more);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      sent.addAndGet(more);
    }

    int sent() {
      return sent.get();
    }

    synchronized void stop() {
      sending.cancel(false);
    }

    /** Until all were sent, unless it was stopped, and each has come to its end. */
    void await() {
      Awaitility.await(kind.name())
          .atMost(PATIENCE)
          .until(
              () -> {
                if (sending.isDone() && !sending.isCancelled()) {
                  sending.get(); // throws what ended it
                }
                return (sending.isCancelled() || sent.get() == messages)
                    && server.store().count(MessageQuery.all().route(kind.name()).states(kind.end))
                        >= before + sent.get();
              });
    }
  }
}
