// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.attack;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DeliverCallback;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Somebody who means no harm: schedules a few messages a second, and waits for them. */
final class HealthyRoute implements AutoCloseable {
  static final String QUEUE = "healthy";

  private static final int EVERY_MILLIS = 100;
  private static final int SHORTEST_MILLIS = 1_000;
  private static final int STEPS = 10;

  private final Connection connection;
  private final URI messages;
  private final String token;
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Long> lateness = new CopyOnWriteArrayList<>();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger arrived = new AtomicInteger();
  private final List<Integer> refused = new CopyOnWriteArrayList<>();
  private final Thread thread = new Thread(this::schedule, "healthy-client");
  private volatile boolean closed;

  HealthyRoute(ConnectionFactory factory, URI messages, String token) throws Exception {
    this.messages = messages;
    this.token = token;
    connection = factory.newConnection();
    Channel channel = connection.createChannel();
    channel.queueDeclare(QUEUE, true, false, false, Map.of());
    DeliverCallback noted =
        (tag, delivery) -> {
          Object due = delivery.getProperties().getHeaders().get("pocketwatch-deliver-at");
          arrived.incrementAndGet();
          lateness.add(System.currentTimeMillis() - ((Number) due).longValue());
        };
    channel.basicConsume(QUEUE, true, noted, tag -> {});
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void schedule() {
    for (int i = 0; !closed; i++) {
      int delay = SHORTEST_MILLIS + i % STEPS * EVERY_MILLIS;
      try {
        int status =
            http.send(
                    HttpRequest.newBuilder(messages)
                        .timeout(Duration.ofSeconds(30))
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .POST(
                            BodyPublishers.ofString(
                                "{\"route\":\"healthy\",\"delay\":\"" + delay + "ms\"}"))
                        .build(),
                    BodyHandlers.discarding())
                .statusCode();
        if (status == 201) {
          accepted.incrementAndGet();
        } else {
          refused.add(status);
        }
        Thread.sleep(EVERY_MILLIS); // its rhythm
      } catch (InterruptedException e) {
        return;
      } catch (java.io.IOException e) {
        refused.add(0);
      }
    }
  }

  /** Since the last call. */
  List<Long> takeLateness() {
    List<Long> taken = List.copyOf(lateness);
    lateness.clear();
    return taken;
  }

  int accepted() {
    return accepted.get();
  }

  int arrived() {
    return arrived.get();
  }

  List<Integer> refused() {
    return List.copyOf(refused);
  }

  /** Schedules no more. */
  void stop() throws InterruptedException {
    closed = true;
    thread.join();
  }

  @Override
  public void close() throws Exception {
    closed = true;
    connection.close();
  }
}
