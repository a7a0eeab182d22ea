// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.unroutable.Redelivery;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;

/** Another try for what found no target, for some seconds per request. */
final class Unroutable {
  private static final long NANOS_PER_REQUEST = Duration.ofSeconds(5).toNanos();
  private static final int AT_A_TIME = 100;
  private static final int CLOSE_MILLIS = 2_000;

  private final BrokerSide broker;
  private final HoldQueues counts;

  /**
   * @param counts is asked anew after it
   */
  Unroutable(BrokerSide broker, HoldQueues counts) {
    this.broker = broker;
    this.counts = counts;
  }

  void addTo(RoutesConfig routes) {
    routes.post(RestApi.ROOT + "/unroutable/send", this::send);
  }

  private void send(Context context) {
    Caller.of(context).requireAllRoutes();
    Names names = new Names(broker.routes().hold().namePrefix());
    try {
      Connection connection = broker.connect("pocketwatch unroutable");
      try (Redelivery redelivery = new Redelivery(connection, names)) {
        Answers.json(context, 200, send(redelivery));
      } finally {
        counts.forget();
        connection.abort(CLOSE_MILLIS);
      }
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      throw new ProblemException(
          Problem.of(
                  ProblemType.BROKER_UNAVAILABLE,
                  "the broker does not answer; what it has not confirmed is still in queue '%s'"
                      .formatted(names.unroutable()))
              .retryAfter(Failures.COME_AGAIN));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ProblemException.overloaded();
    }
  }

  private static Map<String, Object> send(Redelivery redelivery)
      throws IOException, TimeoutException, InterruptedException {
    long end = System.nanoTime() + NANOS_PER_REQUEST;
    long rest = redelivery.count();
    long sent = 0;
    Map<String, Long> left = new TreeMap<>();
    while (rest > 0 && System.nanoTime() - end < 0) {
      Redelivery.Result some = redelivery.send(Math.min(AT_A_TIME, rest), seen -> {});
      rest -= AT_A_TIME;
      sent += some.sent();
      some.left().forEach((why, count) -> left.merge(why, count, Long::sum));
    }
    return Map.of("sent", sent, "left", left, "more", rest > 0);
  }
}
