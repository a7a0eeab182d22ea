// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.SearchPlace;
import io.pocketwatch.store.StoredMessage;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Encodes a place in a list as text: the position of the last message, not its row. */
final class Cursors {
  private Cursors() {}

  /**
   * A place in a list, with the start of the change that goes through it.
   *
   * @param cursor the message before the place
   * @param asOf when the change began, or null if that does not matter
   */
  record Place(MessageQuery.Cursor cursor, @Nullable Instant asOf) {}

  /** The place behind a message. */
  static String of(StoredMessage last, MessageQuery query) {
    return of(new Place(MessageQuery.Cursor.of(last), null), query);
  }

  static String of(Place place, MessageQuery query) {
    MessageQuery.Cursor cursor = place.cursor();
    List<Object> parts =
        new ArrayList<>(
            List.of(cursor.deliverAt().toEpochMilli(), cursor.route(), cursor.id(), filter(query)));
    if (place.asOf() != null) {
      parts.add(place.asOf().toEpochMilli());
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Answers.bytes(parts));
  }

  /**
   * @throws Problem if it is no cursor, or one of another list
   */
  static Place read(String text, MessageQuery query) {
    try {
      JsonNode parts = Answers.MAPPER.readTree(Base64.getUrlDecoder().decode(text));
      boolean sound =
          parts.isArray()
              && (parts.size() == 4 || (parts.size() == 5 && parts.get(4).canConvertToLong()))
              && isCursor(parts, 0)
              && parts.get(3).asInt(0) == filter(query);
      if (sound && !parts.toString().contains("\\u0000")) { // which no row has
        return new Place(
            cursor(parts, 0),
            parts.size() == 4 ? null : Instant.ofEpochMilli(parts.get(4).longValue()));
      }
    } catch (IOException | IllegalArgumentException e) {
      // said below
    }
    throw notOne();
  }

  private static boolean isCursor(JsonNode parts, int at) {
    return parts.get(at).canConvertToLong()
        && parts.get(at + 1).isTextual()
        && parts.get(at + 2).isTextual();
  }

  private static MessageQuery.Cursor cursor(JsonNode parts, int at) {
    return new MessageQuery.Cursor(
        Instant.ofEpochMilli(parts.get(at).longValue()),
        parts.get(at + 1).textValue(),
        parts.get(at + 2).textValue());
  }

  private static Problem notOne() {
    return Problem.at(
        ProblemType.INVALID_CURSOR,
        "cursor",
        "it is not the 'next' of an earlier answer to the same filter");
  }

  /** The place that a search for a part of an id has come to. */
  static String of(MessageSearch.Place place, String part, MessageQuery query) {
    List<@Nullable Object> parts = new ArrayList<>();
    parts.add(place.done().route());
    parts.add(place.done().text());
    parts.add(31 * part.hashCode() + filter(query));
    MessageQuery.Cursor within = place.within();
    if (within != null) {
      parts.addAll(List.of(within.deliverAt().toEpochMilli(), within.route(), within.id()));
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Answers.bytes(parts));
  }

  /**
   * @throws Problem if it is no cursor, or one of another search
   */
  static MessageSearch.Place readSearch(String text, String part, MessageQuery query) {
    try {
      JsonNode parts = Answers.MAPPER.readTree(Base64.getUrlDecoder().decode(text));
      if (parts.isArray()
          && (parts.size() == 3 || parts.size() == 6 && isCursor(parts, 3))
          && (parts.get(0).isNull() || parts.get(0).isTextual())
          && parts.get(1).isTextual()
          && parts.get(2).asInt(0) == 31 * part.hashCode() + filter(query)
          && !parts.toString().contains("\\u0000")) {
        return new MessageSearch.Place(
            new SearchPlace(parts.get(0).textValue(), parts.get(1).textValue()),
            parts.size() == 3 ? null : cursor(parts, 3));
      }
    } catch (IOException | IllegalArgumentException e) {
      // said below
    }
    throw notOne();
  }

  private static int filter(MessageQuery query) {
    // By name: the hash code of an enum differs between JVMs.
    List<String> states = query.states().stream().map(Enum::name).sorted().toList();
    return List.of(
            String.valueOf(query.route()),
            states,
            String.valueOf(query.businessKey()),
            String.valueOf(query.reason()),
            String.valueOf(query.from()),
            String.valueOf(query.until()),
            query.overdue(),
            query.latestFirst())
        .hashCode();
  }
}
