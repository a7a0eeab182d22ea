// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.server.config.SecretReference;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The URL of a route. It has its own client, so that it shares no connection with another. */
final class HttpTarget {
  private static final String ALGORITHM = "HmacSHA256";

  private final CallbackSettings settings;
  private final @Nullable SecretKeySpec key;
  private final HttpClient client;

  /**
   * @param environment variables that may name its secret
   */
  HttpTarget(CallbackSettings settings, Map<String, String> environment) {
    SecretReference secret = settings.secret();
    this.settings = settings;
    this.key =
        secret == null
            ? null
            : new SecretKeySpec(
                secret.resolve(environment).getBytes(StandardCharsets.UTF_8), ALGORITHM);
    this.client =
        HttpClient.newBuilder()
            .connectTimeout(settings.timeout())
            .followRedirects(Redirect.NEVER)
            // By HTTP/2 the JDK fails calls beyond the streams that the target allows.
            .version(Version.HTTP_1_1)
            .build();
  }

  /**
   * Calls the URL, and waits for the whole answer.
   *
   * @param attempt from 1 on
   */
  CallResult call(Delivery message, int attempt) throws InterruptedException {
    CompletableFuture<HttpResponse<Void>> answer;
    try {
      answer = client.sendAsync(request(message, attempt), BodyHandlers.discarding());
    } catch (IllegalArgumentException e) { // an invalid content type
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
    if (key != null) {
      String timestamp = Long.toString(Instant.now().getEpochSecond());
      request
          .header("Pocketwatch-Timestamp", timestamp)
          .header("Pocketwatch-Signature", signature(key, timestamp, id, message.getBody()));
    }
    return request.build();
  }

  /**
   * Signs a call, which proves its sender, content and time.
   *
   * @param timestamp seconds since the epoch, as sent
   * @param id as it stands in the header, percent-encoded or not
   */
  static String signature(SecretKeySpec key, String timestamp, String id, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update((timestamp + "." + id + ".").getBytes(StandardCharsets.UTF_8));
      return "v1=" + HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JVM has " + ALGORITHM, e);
    }
  }
}
