// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.server.config.CallbackSettings;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The URL of a route. A client of its own, so that it shares no connection with another. */
final class HttpTarget {
  private final CallbackSettings settings;
  private final @Nullable Signature signature;
  private final HttpClient client;

  HttpTarget(CallbackSettings settings, @Nullable Signature signature) {
    this.settings = settings;
    this.signature = signature;
    this.client =
        HttpClient.newBuilder()
            .connectTimeout(settings.timeout())
            .followRedirects(Redirect.NEVER)
            .version("https".equals(settings.url().getScheme()) ? Version.HTTP_2 : Version.HTTP_1_1)
            .build();
  }

  /**
   * Calls, and waits until the whole answer is there.
   *
   * @param attempt from 1 on
   */
  CallResult call(Delivery message, int attempt) throws InterruptedException {
    CompletableFuture<HttpResponse<Void>> answer;
    try {
      answer = client.sendAsync(request(message, attempt), BodyHandlers.discarding());
    } catch (IllegalArgumentException e) { // a content type that is none
      String words = ErrorWords.of(e);
      return CallResult.notAnswered("it cannot be sent over HTTP: " + words);
    }
    try {
      return CallResult.answered(
          answer.get(settings.timeout().toMillis(), TimeUnit.MILLISECONDS).statusCode());
    } catch (TimeoutException e) {
      return CallResult.notAnswered("no answer within " + DurationText.format(settings.timeout()));
    } catch (ExecutionException e) {
      return CallResult.notAnswered("no answer: " + ErrorWords.of(e));
    } finally {
      answer.cancel(true);
    }
  }

  private HttpRequest request(Delivery message, int attempt) {
    String id = HeaderText.of(Objects.requireNonNullElse(Headers.id(message.getProperties()), ""));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(settings.url())
            .header("Pocketwatch-Id", id)
            .header("Pocketwatch-Route", HeaderText.of(settings.route()))
            .header("Pocketwatch-Attempt", Integer.toString(attempt))
            .POST(BodyPublishers.ofByteArray(message.getBody()));
    Instant deliverAt = Headers.deliverAt(message.getProperties().getHeaders());
    if (deliverAt != null) {
      request.header("Pocketwatch-Deliver-At", deliverAt.toString());
    }
    String type = message.getProperties().getContentType();
    request.header("Content-Type", type == null ? "application/octet-stream" : type);
    if (signature != null) {
      String timestamp = Long.toString(Instant.now().getEpochSecond());
      request
          .header("Pocketwatch-Timestamp", timestamp)
          .header("Pocketwatch-Signature", signature.of(timestamp, id, message.getBody()));
    }
    return request.build();
  }
}
