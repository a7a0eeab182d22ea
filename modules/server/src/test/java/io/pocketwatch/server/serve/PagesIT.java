// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.server.api.HttpPart;
import io.pocketwatch.server.config.HttpLimits;
import io.pocketwatch.server.config.ServerSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that wait, as for a database that does not answer. */
@Timeout(60)
class PagesIT {
  private static final int MORE_THAN_THREADS = 200;
  private static final int MOST_AT_A_TIME = 48;

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

  @AutoClose
  private final Pages pages =
      Pages.open(
          new ServerSettings("127.0.0.1", 0, true, List.of(), HttpLimits.defaults(), List.of()),
          HealthTest::well,
          () -> "pocketwatch_up 1\n",
          List.of(slow));

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void health_and_metrics_are_answered_while_everything_else_waits() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> slow = slowRequests(MORE_THAN_THREADS);

    assertThat(http.send(get("/health"), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    assertThat(http.send(get("/metrics"), BodyHandlers.ofString()).statusCode()).isEqualTo(200);

    answer.countDown();
    assertThat(slow).allSatisfy(each -> assertThat(each.get().body()).isEqualTo("at last"));
  }

  @Test
  void who_has_no_turn_for_long_is_told_so() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> slow = slowRequests(MOST_AT_A_TIME);

    HttpResponse<String> refused = http.send(get("/slow"), BodyHandlers.ofString());

    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    answer.countDown();
    assertThat(slow).allSatisfy(each -> assertThat(each.get().statusCode()).isEqualTo(200));
  }

  /** Of which as many as may are under way when this returns. */
  private List<CompletableFuture<HttpResponse<String>>> slowRequests(int count) throws Exception {
    List<CompletableFuture<HttpResponse<String>>> sent =
        Stream.generate(() -> http.sendAsync(get("/slow"), BodyHandlers.ofString()))
            .limit(count)
            .toList();
    assertThat(waiting.tryAcquire(MOST_AT_A_TIME, 30, TimeUnit.SECONDS)).isTrue();
    return sent;
  }

  private HttpRequest get(String path) {
    return HttpRequest.newBuilder(URI.create(pages.url() + path)).build();
  }
}
