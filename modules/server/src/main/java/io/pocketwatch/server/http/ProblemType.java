// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.util.Locale;

/** The types of problems this interface answers with (RFC 9457). */
public enum ProblemType {
  MALFORMED(400, "Not JSON"),
  INVALID_FIELD(400, "A field is wrong"),
  INVALID_PARAMETER(400, "A parameter is wrong"),
  INVALID_CURSOR(400, "Not a cursor"),
  UNAUTHENTICATED(401, "Who are you?"),
  FORBIDDEN(403, "Not allowed"),
  CROSS_ORIGIN(403, "Sent by another site"),
  NOT_FOUND(404, "No such path"),
  UNKNOWN_MESSAGE(404, "No such message"),
  UNKNOWN_SCHEDULE(404, "No such schedule"),
  METHOD_NOT_ALLOWED(405, "Another method"),
  ID_CONFLICT(409, "Another message has this key"),
  TOO_LATE(409, "Too late"),
  BEING_HANDLED(409, "Being handled"),
  SCHEDULE_OWNED_BY_YAML(409, "A file owns it"),
  OTHER_VERSION(412, "Changed meanwhile"),
  TOO_LARGE(413, "Too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "Not application/json"),
  WRONG_HOST(421, "Not a name of this server"),
  INVALID_MESSAGE(422, "Can never be sent"),
  UNKNOWN_ROUTE(422, "No such route"),
  UNKNOWN_TARGET(422, "No such target"),
  UNROUTABLE(422, "No queue is bound"),
  ID_UNAVAILABLE(422, "Nobody could tell"),
  IMPOSSIBLE_SCHEDULE(422, "Such a schedule cannot be"),
  RATE_LIMITED(429, "Too many"),
  INTERNAL(500, "Our fault"),
  STORE_UNAVAILABLE(503, "The store is away"),
  BROKER_UNAVAILABLE(503, "The broker does not take it"),
  OVERLOADED(503, "Too much at once"),
  UNCERTAIN(504, "Nobody knows");

  /** Where the manual says what each means. */
  private static final String BASE = "https://pocketwatch.io/reference/rest.html#";

  private final int status;
  private final String title;

  ProblemType(int status, String title) {
    this.status = status;
    this.title = title;
  }

  public int status() {
    return status;
  }

  public String title() {
    return title;
  }

  /** Its name in the {@code type}: {@code too-late}. */
  public String slug() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public String uri() {
    return BASE + slug();
  }
}
