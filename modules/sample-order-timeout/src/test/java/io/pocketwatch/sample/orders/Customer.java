// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.concurrent.Callable;

/** Asks again until the shop answers. */
final class Customer {
  private static final JsonMapper JSON = new JsonMapper();

  private final ShopProcess shop;

  Customer(ShopProcess shop) {
    this.shop = shop;
  }

  /** An order that the shop has confirmed. */
  record Placed(String id, Instant payBy) {}

  /**
   * What became of a payment.
   *
   * @param accepted whether the shop took it
   * @param answered when that was known, at the latest
   */
  record Payment(Placed order, boolean accepted, Instant answered) {}

  /** Not told whether it was placed, the customer places another one. */
  Placed place() {
    JsonNode order = json(answer(() -> shop.post("/orders", "{\"item\": \"a watch\"}"), 201, 201));
    return new Placed(
        order.get("id").textValue(),
        OffsetDateTime.parse(order.get("payBy").textValue()).toInstant());
  }

  Payment pay(Placed order) {
    HttpResponse<String> answer =
        answer(() -> shop.post("/orders/" + order.id() + "/pay", ""), 200, 409);
    return new Payment(order, answer.statusCode() == 200, Instant.now());
  }

  private static HttpResponse<String> answer(
      Callable<HttpResponse<String>> question, int one, int other) {
    return await()
        .atMost(Duration.ofSeconds(90))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(200))
        .ignoreExceptionsInstanceOf(IOException.class) // it is being started again
        .until(question, is -> is.statusCode() == one || is.statusCode() == other);
  }

  static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
