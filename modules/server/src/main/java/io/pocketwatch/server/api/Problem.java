// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A problem detail (RFC 9457).
 *
 * @param detail what, and what to do, in a sentence; never a stack trace
 * @param members its further members
 * @param headers what the answer's header says besides
 */
record Problem(
    ProblemType type, String detail, Map<String, Object> members, Map<String, String> headers) {
  Problem {
    members = new LinkedHashMap<>(members);
    headers = Map.copyOf(headers);
  }

  static Problem of(ProblemType type, String detail) {
    return new Problem(type, detail, Map.of(), Map.of());
  }

  Problem with(String member, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(members);
    more.put(member, value);
    return new Problem(type, detail, more, headers);
  }

  Problem header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Problem(type, detail, members, more);
  }

  /** Says when to come again, in whole seconds and at least one. */
  Problem retryAfter(Duration pause) {
    long seconds = Math.max(1, (pause.toMillis() + 999) / 1_000);
    return header("Retry-After", Long.toString(seconds));
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("type", type.uri());
    json.put("title", type.title());
    json.put("status", type.status());
    json.put("detail", detail);
    json.putAll(members);
    return json;
  }
}
