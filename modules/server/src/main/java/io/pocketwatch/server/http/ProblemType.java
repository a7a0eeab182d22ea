// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.util.Locale;

/** The types of problems this interface answers with (RFC 9457). */
public enum ProblemType {
  MALFORMED(400, "Not JSON", "The body is not JSON text of the size its headers say."),
  INVALID_FIELD(
      400, "A field is wrong", "A field of the body is unknown, missing or of a wrong type."),
  INVALID_PARAMETER(
      400, "A parameter is wrong", "A parameter of the query is unknown or has a wrong value."),
  INVALID_CURSOR(
      400,
      "Not a cursor",
      "The cursor is not the 'next' of an earlier page with the same other parameters."),
  UNAUTHENTICATED(
      401, "Who are you?", "There are no credentials with the request, or they are wrong."),
  FORBIDDEN(
      403,
      "Not allowed",
      "The credentials have the role read, which changes nothing, or are for other routes. Or"
          + " this server sends only to configured routes."),
  CROSS_ORIGIN(
      403, "Sent by another site", "A browser sent this on behalf of a page of another site."),
  NOT_FOUND(404, "No such path", "There is nothing at this path; see the OpenAPI document."),
  UNKNOWN_MESSAGE(
      404,
      "No such message",
      "No row has this route and id. There never was one, its retention is over, or its route"
          + " is not tracked and the broker has it."),
  UNKNOWN_SCHEDULE(
      404, "No such schedule", "There is no schedule of this name, or it is on a route of others."),
  METHOD_NOT_ALLOWED(405, "Another method", "This path answers other methods, named in Allow."),
  ID_CONFLICT(
      409,
      "Another message has this key",
      "The id was used before for other content, another target or another instant."),
  TOO_LATE(
      409,
      "Too late",
      "The message was settled or handed off before, or is cancelled and was to be"
          + " rescheduled or retried. Nothing has changed."),
  BEING_HANDLED(
      409,
      "Being handled",
      "A consumer is handling the message right now. Nothing has changed; ask again when that"
          + " has ended."),
  SCHEDULE_OWNED_BY_YAML(
      409,
      "A file owns it",
      "The schedule is in a configuration file, which alone may redefine or end it. Or it is"
          + " gone from there, and can only be removed. Nothing has changed."),
  OTHER_VERSION(
      412,
      "Changed meanwhile",
      "The schedule is not the version of If-Match, or it is there despite If-None-Match. Nothing"
          + " has changed."),
  TOO_LARGE(
      413,
      "Too large",
      "The request, the batch or a message's body is over its limit, or the answer does not fit"
          + " into this server's memory."),
  UNSUPPORTED_MEDIA_TYPE(
      415, "Not application/json", "A body must be sent as Content-Type: application/json."),
  WRONG_HOST(
      421,
      "Not a name of this server",
      "Without credentials only requests to a loopback name or address are answered. So no web"
          + " page can reach this server under a name of its own."),
  INVALID_MESSAGE(
      422, "Can never be sent", "The message cannot be sent as it is. Nothing was scheduled."),
  UNKNOWN_ROUTE(
      422, "No such route", "The configuration has no route of this name. Nothing was scheduled."),
  UNKNOWN_TARGET(
      422,
      "No such target",
      "The target's exchange or queue does not exist on the broker. Nothing was scheduled."),
  UNROUTABLE(
      422,
      "No queue is bound",
      "The message was due already, and its exchange has no queue bound for its key. It will not"
          + " arrive."),
  ID_UNAVAILABLE(
      422,
      "Nobody could tell",
      "The route is not tracked, so there is no row to find a second message under the same id"
          + " by. Nothing was scheduled."),
  IMPOSSIBLE_SCHEDULE(
      422,
      "Such a schedule cannot be",
      "It has no occurrence left, or its route is unknown or not tracked. Or there are too many"
          + " schedules, or too large ones. Nothing has changed."),
  RATE_LIMITED(
      429,
      "Too many",
      "The request is over a limit of this server; wait for Retry-After." + " Nothing was done."),
  INTERNAL(
      500,
      "Our fault",
      "This server has a fault, which its log has under the incident's" + " name."),
  STORE_UNAVAILABLE(
      503,
      "The store is away",
      "The database did not answer. A read can be repeated; a change may or may not have happened,"
          + " and can be repeated too."),
  BROKER_UNAVAILABLE(
      503,
      "The broker does not take it",
      "The broker is not connected, or refused the message. Nothing was scheduled; try again."),
  OVERLOADED(
      503,
      "Too much at once",
      "Requests at this moment take all the memory that bodies or answers may take; wait for"
          + " Retry-After. Nothing was done."),
  UNCERTAIN(
      504,
      "Nobody knows",
      "The message was sent, and the answer never came. Under an id it is safe to send it again;"
          + " without one it may then arrive twice.");

  private static final String BASE = "/api/v1/problems#";

  private final int status;
  private final String title;
  private final String meaning;

  ProblemType(int status, String title, String meaning) {
    this.status = status;
    this.title = title;
    this.meaning = meaning;
  }

  public int status() {
    return status;
  }

  public String title() {
    return title;
  }

  public String meaning() {
    return meaning;
  }

  /** Its name in the {@code type}: {@code too-late}. */
  public String slug() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public String uri() {
    return BASE + slug();
  }
}
