// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Requests that may wait for a database or broker take turns, and are answered 503 when their turn
 * does not come. The other threads are for {@code /health} and {@code /metrics}, which have to
 * answer just then. No address has all turns. While others ask too, each has as many as there are
 * processors. With more, the requests of others would wait for a processor. A stream of events
 * keeps no thread, and would keep a turn for ever.
 */
public final class Turns extends Handler.Wrapper {
  private static final int MOST = 48;
  private static final int MOST_OF_ADDRESS = 32;
  private static final int MOST_BESIDE_OTHERS =
      Math.max(2, Math.min(MOST_OF_ADDRESS, Runtime.getRuntime().availableProcessors()));
  private static final long OTHERS_ASK_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private final Set<String> without;
  private final Map<String, Integer> running = new HashMap<>();
  private final Set<Turn> waiting = new LinkedHashSet<>();
  private int runningInAll;
  private @Nullable Asked last;
  private @Nullable Asked lastOfAnother;

  /** When an address last asked, by {@link System#nanoTime}. */
  private record Asked(String address, long nanoTime) {}

  /**
   * @param without paths that need no turn
   */
  public Turns(Set<String> without) {
    this.without = Set.copyOf(without);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (without.contains(Request.getPathInContext(request))) {
      return super.handle(request, response, callback);
    }
    Turn turn = new Turn(Request.getRemoteAddr(request), request, response, callback);
    if (takenNow(turn)) {
      turn.run();
    } else {
      turn.waitNotForEver();
    }
    return true;
  }

  private synchronized boolean takenNow(Turn turn) {
    if (last != null && !last.address().equals(turn.address)) {
      lastOfAnother = last;
    }
    last = new Asked(turn.address, System.nanoTime());
    boolean free = free(turn);
    if (free) {
      take(turn);
    } else {
      waiting.add(turn);
    }
    return free;
  }

  private boolean free(Turn turn) {
    int most = othersAsk(turn.address) ? MOST_BESIDE_OTHERS : MOST_OF_ADDRESS;
    return runningInAll < MOST && running.getOrDefault(turn.address, 0) < most;
  }

  private boolean othersAsk(String address) {
    Asked other = last != null && last.address().equals(address) ? lastOfAnother : last;
    return other != null && System.nanoTime() - other.nanoTime() < OTHERS_ASK_NANOS;
  }

  private void take(Turn turn) {
    runningInAll++;
    running.merge(turn.address, 1, Integer::sum);
  }

  private synchronized boolean stopsWaiting(Turn turn) {
    return waiting.remove(turn);
  }

  private synchronized void ended(Turn turn) {
    runningInAll--;
    running.computeIfPresent(turn.address, (address, count) -> count == 1 ? null : count - 1);
    for (Iterator<Turn> all = waiting.iterator(); all.hasNext() && runningInAll < MOST; ) {
      Turn next = all.next();
      if (free(next)) {
        all.remove();
        take(next);
        next.request.getComponents().getExecutor().execute(next::run);
      }
    }
  }

  private final class Turn {
    private final String address;
    private final Request request;
    private final Response response;
    private final Callback callback;
    private volatile Scheduler.@Nullable Task end;

    Turn(String address, Request request, Response response, Callback callback) {
      this.address = address;
      this.request = request;
      this.response = response;
      this.callback = callback;
    }

    void waitNotForEver() {
      end =
          request
              .getComponents()
              .getScheduler()
              .schedule(this::giveUp, LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    void run() {
      Scheduler.Task task = end;
      if (task != null) {
        task.cancel(); // it would keep the request and its body
      }
      Callback ending = Callback.from(callback, () -> ended(this));
      try {
        if (!Turns.super.handle(request, response, ending)) {
          Response.writeError(request, response, ending, HttpStatus.NOT_FOUND_404);
        }
      } catch (Exception | LinkageError e) {
        Response.writeError(request, response, ending, e);
      }
    }

    void giveUp() {
      if (stopsWaiting(this)) {
        response.getHeaders().put(HttpHeader.RETRY_AFTER, LONGEST_WAIT.toSeconds());
        Response.writeError(request, response, callback, HttpStatus.SERVICE_UNAVAILABLE_503);
      }
    }
  }
}
