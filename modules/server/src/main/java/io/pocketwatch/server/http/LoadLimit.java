// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ConditionalHandler;
import org.eclipse.jetty.server.handler.QoSHandler;
import org.eclipse.jetty.server.handler.ThreadLimitHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Limits concurrent requests, in all and of one address, by Jetty's handlers for that. The other
 * threads are for {@code /health} and {@code /metrics}, which must answer while everything else
 * waits for a database. An address gets few of these, since a client that reads no answer blocks
 * one. A request that waits too long is answered 503, here, since Jetty's limit of an address waits
 * for ever.
 */
public final class LoadLimit extends ConditionalHandler.ElseNext {
  private static final int MOST = 48;
  private static final int MOST_OF_ADDRESS = 16;
  private static final int OTHERS_OF_ADDRESS = 2;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final String ATTRIBUTE = LoadLimit.class.getName();

  /**
   * @param without paths that are answered whatever the load is, in a moment each
   */
  public LoadLimit(String... without) {
    ThreadLimitHandler ofAddress = new ThreadLimitHandler();
    ofAddress.setThreadLimit(MOST_OF_ADDRESS);
    QoSHandler inAll = new QoSHandler();
    inAll.setMaxRequestCount(MOST);
    inAll.setMaxSuspend(LONGEST_WAIT);
    excludePath(without);
    ofAddress.excludePath(without);
    inAll.excludePath(without);
    ThreadLimitHandler othersOfAddress = new ThreadLimitHandler();
    othersOfAddress.setThreadLimit(OTHERS_OF_ADDRESS);
    othersOfAddress.includePath(without);
    setHandler(ofAddress);
    ofAddress.setHandler(new Begin(inAll));
    inAll.setHandler(othersOfAddress);
  }

  @Override
  protected boolean onConditionsMet(Request request, Response response, Callback callback)
      throws Exception {
    AtomicBoolean decided = new AtomicBoolean();
    Scheduler.Task giveUp =
        request
            .getComponents()
            .getScheduler()
            .schedule(
                () -> {
                  if (decided.compareAndSet(false, true)) {
                    Response.writeError(
                        request, response, callback, HttpStatus.SERVICE_UNAVAILABLE_503);
                  }
                },
                LONGEST_WAIT.toMillis(),
                TimeUnit.MILLISECONDS);
    request.setAttribute(ATTRIBUTE, new Waiting(decided, giveUp));
    return nextHandler(request, response, callback);
  }

  /**
   * A request that waits for its address.
   *
   * @param decided whether it has begun, or was refused
   * @param giveUp keeps the request and its body until it is cancelled
   */
  private record Waiting(AtomicBoolean decided, Scheduler.Task giveUp) {}

  /** Runs after the limit of an address, and drops requests that were refused meanwhile. */
  private static final class Begin extends Handler.Wrapper {
    Begin(Handler next) {
      super(next);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      if (request.getAttribute(ATTRIBUTE) instanceof Waiting waiting) {
        if (!waiting.decided().compareAndSet(false, true)) {
          return true;
        }
        waiting.giveUp().cancel();
      }
      return super.handle(request, response, callback);
    }
  }
}
