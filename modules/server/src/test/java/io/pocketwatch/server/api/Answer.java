// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/**
 * What a request was answered.
 *
 * @param request its method and path
 * @param status of the answer
 * @param type of its content
 * @param body as text
 */
record Answer(String request, int status, String type, String body) {
  static Answer of(HttpResponse<String> response) {
    return new Answer(
        response.request().method() + " " + response.uri().getRawPath(),
        response.statusCode(),
        response.headers().firstValue("Content-Type").orElse(""),
        response.body());
  }

  /** To a GET under another host's name, which no HTTP client of Java sends. */
  static Answer underName(String host, String url) throws IOException {
    URI uri = URI.create(url);
    String head =
        "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(uri.getPath(), host);
    try (Socket socket = new Socket(uri.getHost(), uri.getPort());
        OutputStream out = socket.getOutputStream()) {
      out.write(head.getBytes(StandardCharsets.US_ASCII));
      out.flush();
      String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      String[] parts = text.split("\r\n\r\n", 2);
      return new Answer(
          "GET " + uri.getPath(),
          Integer.parseInt(parts[0].split(" ", 3)[1]),
          parts[0].replaceFirst("(?is).*\r\ncontent-type: *([^\r]*).*", "$1"),
          parts[1]);
    }
  }
}
