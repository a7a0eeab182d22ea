// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.sse.SseClient;
import io.pocketwatch.internal.base.Threads;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends the status to all clients that follow. A client that reads too slowly misses some. It does
 * not hold up the others, since each occupies at most one thread.
 */
final class Events implements Runnable {
  static final Duration EVERY = Duration.ofSeconds(2);

  private static final String STREAM = "text/event-stream";
  private static final int SENDING_THREADS = 8;

  private final Function<Caller, Map<String, @Nullable Object>> status;
  private final int most;
  private final Set<Client> clients = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;
  private final ExecutorService senders =
      new ThreadPoolExecutor(
          0,
          SENDING_THREADS,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Threads.named("pocketwatch-http-events"));

  /**
   * @param status the status for a caller
   * @param most clients at a time
   */
  Events(Function<Caller, Map<String, @Nullable Object>> status, int most) {
    this.status = status;
    this.most = most;
  }

  void addTo(RoutesConfig routes) {
    routes.before(
        HttpPart.EVENTS,
        context -> {
          if (!STREAM.equals(context.header("Accept"))) {
            throw Problem.at(ProblemType.INVALID_PARAMETER, "Accept", "send Accept: " + STREAM);
          }
          if (clients.size() >= most) {
            throw Problem.of(
                    ProblemType.RATE_LIMITED,
                    "%s clients follow already (pocketwatch.server.limits.event-streams)"
                        .formatted(most))
                .retryAfter(Duration.ofSeconds(10));
          }
        });
    routes.sse(HttpPart.EVENTS, this::open);
  }

  private void open(SseClient stream) {
    Client client = new Client(stream, Caller.of(stream.ctx()));
    stream.ctx().header("Cache-Control", "no-store");
    stream.ctx().header("X-Accel-Buffering", "no");
    stream.keepAlive();
    stream.onClose(() -> clients.remove(client));
    clients.add(client);
    if (closed) {
      stream.close(); // a client that reconnects at once must not hold up the stop
    } else {
      client.send(text(client.caller));
    }
  }

  private String text(Caller caller) {
    return new String(Answers.bytes(status.apply(caller)), StandardCharsets.UTF_8);
  }

  @Override
  public void run() {
    if (clients.isEmpty()) {
      return;
    }
    Map<Set<String>, String> texts = new HashMap<>();
    for (Client each : clients) {
      each.sendLater(texts.computeIfAbsent(each.caller.routes(), routes -> text(each.caller)));
    }
  }

  void close() {
    closed = true;
    clients.forEach(each -> each.stream.close());
    senders.shutdownNow();
  }

  private final class Client {
    private final SseClient stream;
    private final Caller caller;
    private final AtomicBoolean sending = new AtomicBoolean();

    Client(SseClient stream, Caller caller) {
      this.caller = caller;
      this.stream = stream;
    }

    void sendLater(String text) {
      if (!sending.compareAndSet(false, true)) {
        return; // still busy with an earlier one
      }
      try {
        senders.execute(
            () -> {
              try {
                send(text);
              } finally {
                sending.set(false);
              }
            });
      } catch (RejectedExecutionException e) {
        sending.set(false); // all threads are busy with slow clients: next time
      }
    }

    void send(String text) {
      stream.sendEvent("status", text);
      if (stream.terminated()) {
        clients.remove(this);
      }
    }
  }
}
