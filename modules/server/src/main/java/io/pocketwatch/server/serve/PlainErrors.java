// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.screen.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers errors that come before any path: also as problem details, without facts about us. */
final class PlainErrors extends ErrorHandler {
  private static final long COME_AGAIN_SECONDS = 10;
  private static final String TYPE = "application/problem+json";

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, TYPE);
    if (response.getStatus() == HttpStatus.SERVICE_UNAVAILABLE_503) {
      response.getHeaders().put(HttpHeader.RETRY_AFTER, COME_AGAIN_SECONDS);
    }
    response.write(true, ByteBuffer.wrap(body(response.getStatus())), callback);
    return true;
  }

  @Override
  public ByteBuffer badMessageError(int status, String reason, HttpFields.Mutable fields) {
    fields.put(HttpHeader.CONTENT_TYPE, TYPE);
    return ByteBuffer.wrap(body(status));
  }

  private static byte[] body(int status) {
    Map<String, Object> problem =
        Map.of("type", "about:blank", "title", HttpStatus.getMessage(status), "status", status);
    return Json.line(problem).getBytes(StandardCharsets.UTF_8);
  }
}
