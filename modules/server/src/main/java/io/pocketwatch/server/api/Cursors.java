// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage;
import java.io.IOException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

/** A place in a list, as text. It says where the last message was, not which row that is. */
final class Cursors {
  private Cursors() {}

  /** The place behind a message. */
  static String of(StoredMessage last, MessageQuery query) {
    MessageKey key = last.key();
    List<Object> place =
        List.of(last.deliverAt().toEpochMilli(), key.route(), key.id(), filter(query));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Answers.bytes(place));
  }

  /**
   * @throws ProblemException if it is none, or one of another list
   */
  static MessageQuery.Cursor read(String text, MessageQuery query) {
    try {
      JsonNode place = Answers.MAPPER.readTree(Base64.getUrlDecoder().decode(text));
      boolean sound =
          place.isArray()
              && place.size() == 4
              && place.get(0).canConvertToLong()
              && place.get(1).isTextual()
              && place.get(2).isTextual()
              && place.get(3).asInt(0) == filter(query);
      if (sound && !place.toString().contains("\\u0000")) { // which no row has
        return new MessageQuery.Cursor(
            Instant.ofEpochMilli(place.get(0).longValue()),
            place.get(1).textValue(),
            place.get(2).textValue());
      }
    } catch (IOException | IllegalArgumentException e) {
      // said below
    }
    throw ProblemException.at(
        ProblemType.INVALID_CURSOR,
        "cursor",
        "it is not the 'next' of an earlier page with the same other parameters");
  }

  private static int filter(MessageQuery query) {
    // By name: the hash of an enum is another in each JVM.
    List<String> states = query.states().stream().map(Enum::name).sorted().toList();
    return List.of(
            String.valueOf(query.route()),
            states,
            String.valueOf(query.businessKey()),
            String.valueOf(query.reason()),
            String.valueOf(query.from()),
            String.valueOf(query.until()))
        .hashCode();
  }
}
