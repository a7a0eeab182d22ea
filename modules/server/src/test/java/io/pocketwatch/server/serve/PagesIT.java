// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.config.JavalinConfig;
import io.pocketwatch.server.config.HttpLimits;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.http.HttpPart;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that wait, as for a database that does not answer. */
@Timeout(60)
class PagesIT {
  private static final int MORE_THAN_THREADS = 200;
  private static final int MOST_OF_ADDRESS = 16;

  private final Semaphore waiting = new Semaphore(0);
  private final CountDownLatch answer = new CountDownLatch(1);
  private final HttpPart slow =
      config ->
          config.routes.get(
              "/slow",
              context -> {
                waiting.release();
                answer.await();
                context.result("at last");
              });

  private final CountDownLatch streamsEnded = new CountDownLatch(1);
  private final AtomicBoolean ended = new AtomicBoolean();
  private final HttpPart ending =
      new HttpPart() {
        @Override
        public void addTo(JavalinConfig config) {
          config.routes.get(
              "/needs-it",
              context -> {
                waiting.release();
                answer.await();
                context.result(ended.get() ? "has ended" : "is there");
              });
        }

        @Override
        public void endStreams() {
          streamsEnded.countDown();
        }

        @Override
        public void close() {
          ended.set(true);
        }
      };

  @AutoClose
  private final Pages pages =
      Pages.open(
          new ServerSettings(
              "serve", "127.0.0.1", 0, true, List.of(), false, HttpLimits.defaults(), List.of()),
          HealthTest::well,
          this::metrics,
          List.of(slow, ending));

  private final HttpClient http = HttpClient.newHttpClient();
  private final Semaphore measuring = new Semaphore(0);
  private volatile CountDownLatch measured = new CountDownLatch(0);

  private String metrics() {
    measuring.release();
    try {
      measured.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "pocketwatch_up 1\n".repeat(10_000);
  }

  @Test
  void health_and_metrics_are_answered_while_everything_else_waits() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> slow = slowRequests(MORE_THAN_THREADS);

    assertThat(http.send(get("/health"), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    assertThat(http.send(get("/metrics"), BodyHandlers.ofString()).statusCode()).isEqualTo(200);

    answer.countDown();
    assertThat(slow).allSatisfy(each -> assertThat(each.get().body()).isEqualTo("at last"));
  }

  @Tag("ci")
  @Test
  void who_has_no_turn_for_long_is_told_so() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> slow = slowRequests(MOST_OF_ADDRESS);

    HttpResponse<String> refused = http.send(get("/slow"), BodyHandlers.ofString());

    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(refused.headers().firstValue("Retry-After")).hasValue("10");
    answer.countDown();
    assertThat(slow).allSatisfy(each -> assertThat(each.get().statusCode()).isEqualTo(200));
  }

  @Test
  void one_address_does_not_take_all_turns() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> slow = slowRequests(MORE_THAN_THREADS);

    try (Socket other = new Socket()) {
      other.bind(new InetSocketAddress("127.0.0.2", 0));
      other.connect(new InetSocketAddress("127.0.0.1", URI.create(pages.url()).getPort()));
      other
          .getOutputStream()
          .write("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
      assertThat(waiting.tryAcquire(9, TimeUnit.SECONDS)).isTrue();
      answer.countDown();
    }
    assertThat(slow).allSatisfy(each -> assertThat(each.get().body()).isEqualTo("at last"));
  }

  @Test
  void an_address_may_come_again_and_again() throws Exception {
    int more = 300; // than it may have connections at a time
    for (int i = 0; i < more; i++) {
      try (Socket socket = new Socket("127.0.0.1", URI.create(pages.url()).getPort())) {
        String head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(US_ASCII));
        assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
            .startsWith("HTTP/1.1 200 ");
      }
    }
  }

  @Test
  void one_address_does_not_take_all_turns_of_metrics() throws Exception {
    measured = new CountDownLatch(1);
    List<Socket> others = new ArrayList<>();
    try {
      for (int i = 0; i < MORE_THAN_THREADS; i++) {
        Socket socket = new Socket();
        others.add(socket);
        socket.bind(new InetSocketAddress("127.0.0.2", 0));
        socket.connect(new InetSocketAddress("127.0.0.1", URI.create(pages.url()).getPort()));
        String head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(US_ASCII));
      }
      measuring.acquire(2);
      HttpResponse<String> health =
          http.sendAsync(get("/health"), BodyHandlers.ofString()).get(9, TimeUnit.SECONDS);
      assertThat(health.statusCode()).isEqualTo(200);
      assertThat(measuring.tryAcquire()).as("a third one at work").isFalse();
    } finally {
      measured.countDown();
      for (Socket each : others) {
        each.close();
      }
    }
  }

  @Test
  @Tag("ci")
  void who_never_reads_holds_nobody_up_and_is_cut_off() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      CompletableFuture<?> cutOff =
          CompletableFuture.anyOf(
              Stream.generate(() -> CompletableFuture.runAsync(this::neverRead, threads))
                  .limit(80)
                  .toArray(CompletableFuture<?>[]::new));
      do {
        HttpResponse<String> health =
            http.sendAsync(get("/health"), BodyHandlers.ofString()).get(5, TimeUnit.SECONDS);
        assertThat(health.statusCode()).isEqualTo(200);
      } while (!cutOff.isDone());
    } finally {
      threads.shutdownNow();
    }
  }

  /** Asks again and again until it is cut off. */
  private void neverRead() {
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(4_096);
      socket.bind(new InetSocketAddress("127.0.0.66", 0));
      socket.connect(new InetSocketAddress("127.0.0.1", URI.create(pages.url()).getPort()));
      while (true) {
        String head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(US_ASCII));
      }
    } catch (IOException e) {
      // cut off
    }
  }

  @Test
  void what_is_under_way_is_answered_before_a_part_ends() throws Exception {
    CompletableFuture<HttpResponse<String>> asked =
        http.sendAsync(get("/needs-it"), BodyHandlers.ofString());
    waiting.acquire();
    Thread stop = new Thread(pages::close);
    stop.start();
    streamsEnded.await();
    answer.countDown();

    assertThat(asked.get().body()).isEqualTo("is there");
    stop.join();
    assertThat(ended).isTrue();
  }

  @Test
  void asked_wrongly_health_says_how_to_ask() throws Exception {
    HttpRequest post =
        HttpRequest.newBuilder(URI.create(pages.url() + "/health"))
            .POST(BodyPublishers.noBody())
            .build();
    HttpResponse<String> refused = http.send(post, BodyHandlers.ofString());

    assertThat(refused.statusCode()).isEqualTo(405);
    assertThat(refused.headers().firstValue("Allow").orElse("")).contains("GET", "HEAD");
  }

  @Test
  void a_page_of_another_site_reads_neither_health_nor_metrics() throws Exception {
    for (String path : List.of("/health", "/metrics")) {
      try (Socket rebound = new Socket("127.0.0.1", URI.create(pages.url()).getPort())) {
        String head =
            "GET " + path + " HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n";
        rebound.getOutputStream().write(head.getBytes(US_ASCII));
        assertThat(new String(rebound.getInputStream().readAllBytes(), US_ASCII))
            .startsWith("HTTP/1.1 421 ")
            .contains("X-Content-Type-Options: nosniff");
      }
    }
  }

  /** Of which as many as may are under way when this returns. */
  private List<CompletableFuture<HttpResponse<String>>> slowRequests(int count) throws Exception {
    List<CompletableFuture<HttpResponse<String>>> sent =
        Stream.generate(() -> http.sendAsync(get("/slow"), BodyHandlers.ofString()))
            .limit(count)
            .toList();
    assertThat(waiting.tryAcquire(MOST_OF_ADDRESS, 30, TimeUnit.SECONDS)).isTrue();
    return sent;
  }

  private HttpRequest get(String path) {
    return HttpRequest.newBuilder(URI.create(pages.url() + path)).build();
  }
}
