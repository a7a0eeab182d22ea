// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.attack;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Random;

/** Requests that a server should bear, from a seed: the same seed gives the same ones. */
final class HostileRequests {
  private static final String MESSAGES = "/api/v1/messages";
  private static final List<String> IDS =
      List.of(
          "a",
          "C:\\\\dir\\\\1",
          "\\u001b[31mRED\\u0007",
          "line\\r\\nfeed",
          "\\u202eevil",
          "\\ud800",
          "..",
          "x\\u0000y",
          "/../",
          "%2e%2e",
          "' OR 1=1 --",
          "<script>");
  private static final List<String> PATH_IDS =
      List.of(
          "a", "C%3A%5Cdir%5C1", "..%2f", "%00", "%ff", "%zz", "a%0d%0ab", "%2e", ";x", "%C3%28");
  private static final List<String> TARGETS =
      List.of(
          "\"route\":\"orders\"",
          "\"route\":\"plain\"",
          "\"route\":\"nobody\"",
          "\"exchange\":\"\",\"routingKey\":\"pocketwatch.unroutable\"",
          "\"exchange\":\"\",\"routingKey\":\"pocketwatch.wheel.quorum.1s.7\"",
          "\"exchange\":\"pocketwatch.release\",\"routingKey\":\"x\"",
          "\"exchange\":\"amq.rabbitmq.trace\",\"routingKey\":\"x\"",
          "\"exchange\":\"amq.topic\",\"routingKey\":\"nobody.listens\"");
  private static final List<String> TIMES =
      List.of(
          "",
          ",\"delay\":\"0s\"",
          ",\"delay\":\"2h\"",
          ",\"delay\":\"-1s\"",
          ",\"delay\":\"99999999999d\"",
          ",\"delay\":1e999",
          ",\"deliverAt\":\"1970-01-01T00:00:00Z\"",
          ",\"deliverAt\":\"9999-12-31T23:59:59.999Z\"",
          ",\"deliverAt\":\"+10000-01-01T00:00:00Z\"",
          ",\"deliverAt\":\"2030-02-30T00:00:00Z\"");

  private final Random random;
  private final String token;

  HostileRequests(long seed, String token) {
    this.random = new Random(seed);
    this.token = token;
  }

  /** The bytes of the next one. */
  byte[] next() {
    return switch (random.nextInt(14)) {
      case 0 -> post(MESSAGES + "/batch", "{\"messages\":[" + many("{}", 3_000) + "]}");
      case 1 ->
          post(MESSAGES, message(",\"headers\":{\"a\":" + nested(1 + random.nextInt(200)) + "}"));
      case 2 -> post(MESSAGES, message(",\"headers\":{" + wide(random.nextInt(20_000)) + "}"));
      case 3 -> post(MESSAGES, message(",\"body\":" + nested(1 + random.nextInt(120))));
      case 4 -> post(MESSAGES, damaged(message(",\"body\":{\"order\":4711}")));
      case 5 ->
          post(
              MESSAGES,
              message(
                  ",\"contentType\":\"x\\r"
                      + "\\n"
                      + "2026 INFO forged\",\"replyTo\":\"amq.rabbitmq.reply-to\""));
      case 6 -> get(MESSAGES + "?" + query());
      case 7 -> withoutToken();
      case 8 ->
          text(head("GET", MESSAGES + "/orders/a/cancel") + "X-HTTP-Method-Override: POST\r\n\r\n");
      case 9 -> text(oddHead());
      case 10 ->
          post(
              MESSAGES
                  + "/orders/"
                  + one(PATH_IDS)
                  + one(List.of("/cancel", "/reschedule", "/retry", "")),
              "{\"delay\":\"1h\"}");
      case 11 ->
          cutOff(
              post(MESSAGES, message(",\"body\":\"" + "x".repeat(random.nextInt(50_000)) + "\"")));
      case 12 -> get(MESSAGES + "/orders/" + one(PATH_IDS));
      default -> chunked(message(",\"body\":{\"order\":4711},\"priority\":255"));
    };
  }

  private String message(String more) {
    return "{" + one(TARGETS) + one(TIMES) + id() + more + "}";
  }

  private String id() {
    return random.nextBoolean()
        ? ""
        : ",\"id\":\"" + one(IDS) + random.nextInt(100) + "\",\"businessKey\":\"" + one(IDS) + "\"";
  }

  private String query() {
    return switch (random.nextInt(6)) {
      case 0 -> "businessKey=%zz";
      case 1 -> "cursor=" + base64("[1,\"a\",\"b\\u0000\",5]");
      case 2 -> "limit=999999999999";
      case 3 -> "id=" + one(PATH_IDS);
      case 4 -> "dueFrom=9999-99-99T00:00:00Z&state=LOST";
      default -> "state=PENDING&route=%00&limit=1000";
    };
  }

  private byte[] withoutToken() {
    String wrong =
        random.nextBoolean()
            ? "Bearer " + random.nextLong()
            : "Basic " + base64("root:" + random.nextInt());
    return text(
        "POST "
            + MESSAGES
            + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
            + wrong
            + "\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n{");
  }

  private String oddHead() {
    return switch (random.nextInt(6)) {
      case 0 -> "GET / HTTP/9.9\r\nHost: a\r\n\r\n";
      case 1 -> head("GET", "/api/v1/status") + "X: " + "y".repeat(20_000) + "\r\n\r\n";
      case 2 -> head("POST", MESSAGES) + "Content-Length: -1\r\n\r\n";
      case 3 ->
          head("POST", MESSAGES)
              + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
      case 4 -> head("PROPFIND", "/../../etc/passwd") + "\r\n";
      default -> "\u0000\u0001\u0002\r\n\r\n";
    };
  }

  private byte[] post(String path, String body) {
    byte[] bytes = text(body);
    byte[] head =
        text(
            head("POST", path)
                + "Content-Type: application/json\r\nContent-Length: "
                + bytes.length
                + "\r\n\r\n");
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(head);
    all.writeBytes(bytes);
    return all.toByteArray();
  }

  /** A byte per chunk. */
  private byte[] chunked(String body) {
    StringBuilder chunks =
        new StringBuilder(
            head("POST", MESSAGES)
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    body.chars().forEach(each -> chunks.append("1\r\n").append((char) each).append("\r\n"));
    return text(chunks.append("0\r\n\r\n").toString());
  }

  private byte[] get(String path) {
    return text(head("GET", path) + "\r\n");
  }

  private String head(String method, String path) {
    return "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer %s\r\n"
        .formatted(method, path, token);
  }

  private byte[] cutOff(byte[] request) {
    return java.util.Arrays.copyOf(
        request, request.length - 1 - random.nextInt(request.length / 2));
  }

  private String damaged(String json) {
    int at = random.nextInt(json.length());
    return json.substring(0, at) + (char) random.nextInt(128) + json.substring(at + 1);
  }

  private static String nested(int depth) {
    return "[".repeat(depth) + "]".repeat(depth);
  }

  private static String wide(int fields) {
    StringBuilder wide = new StringBuilder("\"n\":1");
    for (int i = 0; i < fields; i++) {
      wide.append(",\"f").append(i).append("\":{}");
    }
    return wide.toString();
  }

  static String many(String item, int count) {
    return (item + ",").repeat(count - 1) + item;
  }

  private String one(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder().encodeToString(text(text));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
