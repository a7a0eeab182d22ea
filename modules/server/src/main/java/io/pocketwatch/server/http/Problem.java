// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A problem detail (RFC 9457), which ends a request when it is thrown. It has no stack trace, since
 * it is no fault of the server.
 */
public final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ProblemType type;
  private final transient Map<String, Object> members;
  private final transient Map<String, String> headers;

  private Problem(
      ProblemType type, String detail, Map<String, Object> members, Map<String, String> headers) {
    super(detail, null, false, false);
    this.type = type;
    this.members = members;
    this.headers = headers;
  }

  /**
   * @param detail what, and what to do, in a sentence; never a stack trace
   */
  public static Problem of(ProblemType type, String detail) {
    return new Problem(type, detail, Map.of(), Map.of());
  }

  /**
   * @param pointer a JSON pointer into the body, or the name of a parameter
   */
  public static Problem at(ProblemType type, String pointer, String detail) {
    return of(type, detail).with("pointer", pointer);
  }

  /** The server has no room for the request just now. */
  public static Problem overloaded() {
    return of(
            ProblemType.OVERLOADED,
            "other requests take all the memory there is for bodies"
                + " (pocketwatch.server.limits.body-memory)")
        .retryAfter(Duration.ofSeconds(5));
  }

  /** This problem with a further member. */
  public Problem with(String member, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(members);
    more.put(member, value);
    return new Problem(type, detail(), more, headers);
  }

  /** This problem with a further header of the answer. */
  public Problem header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Problem(type, detail(), members, more);
  }

  /** This problem with {@code Retry-After}, in whole seconds and at least one. */
  public Problem retryAfter(Duration pause) {
    long seconds = Math.max(1, (pause.toMillis() + 999) / 1_000);
    return header("Retry-After", Long.toString(seconds));
  }

  public ProblemType type() {
    return type;
  }

  public String detail() {
    return String.valueOf(getMessage());
  }

  public Map<String, String> headers() {
    return headers;
  }

  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("type", type.uri());
    json.put("title", type.title());
    json.put("status", type.status());
    json.put("detail", detail());
    json.putAll(members);
    return json;
  }
}
