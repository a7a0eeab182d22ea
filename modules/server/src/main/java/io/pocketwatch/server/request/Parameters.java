// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.request;

import io.javalin.http.Context;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the query of a request, as strictly as a configuration. */
public final class Parameters {
  /** An example of an instant, to be put after {@code write}. */
  static final String FORM = "an instant such as 2030-01-31T08:00:00Z";

  private final Context context;

  /**
   * @throws Problem if there is another parameter than these
   */
  public Parameters(Context context, String... allowed) {
    this.context = context;
    requireSound(String.valueOf(context.queryString()));
    for (String name : context.queryParamMap().keySet()) {
      if (!List.of(allowed).contains(name)) {
        throw refuse(name, "unknown; allowed: " + String.join(", ", allowed));
      }
    }
  }

  /** Refuses an undecodable query: otherwise a filter could be dropped silently. */
  private static void requireSound(String query) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(decoded(query)));
    } catch (CharacterCodingException | IllegalArgumentException e) {
      throw Problem.at(ProblemType.INVALID_PARAMETER, "", "the query is not percent-encoded UTF-8");
    }
  }

  private static byte[] decoded(String query) {
    return URLDecoder.decode(query, StandardCharsets.ISO_8859_1)
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  public static Problem refuse(String name, String problem) {
    return Problem.at(ProblemType.INVALID_PARAMETER, name, name + ": " + problem);
  }

  public @Nullable String text(String name) {
    List<String> values = context.queryParams(name);
    if (values.size() > 1) {
      throw refuse(name, "is there more than once");
    }
    if (values.isEmpty()) {
      return null;
    }
    if (values.get(0).isEmpty()) {
      throw refuse(name, "is empty");
    }
    return values.get(0);
  }

  public int integer(String name, int least, int most, int fallback) {
    String text = text(name);
    if (text == null) {
      return fallback;
    }
    try {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw refuse(name, "'%s'; allowed: %s to %s".formatted(text, least, most));
  }

  /** A boolean parameter; false if it is absent. */
  public boolean bool(String name) {
    String text = text(name);
    if (text == null || text.equals("true") || text.equals("false")) {
      return "true".equals(text);
    }
    throw refuse(name, "'%s'; allowed: true, false".formatted(text));
  }

  /** One of the given words; the first if the parameter is absent. */
  public String word(String name, String usual, String... others) {
    String text = text(name);
    if (text == null) {
      return usual;
    }
    TreeSet<String> allowed = new TreeSet<>(List.of(others));
    allowed.add(usual);
    if (!allowed.contains(text)) {
      throw refuse(name, "'%s'; allowed: %s".formatted(text, String.join(", ", allowed)));
    }
    return text;
  }

  public @Nullable Instant instant(String name) {
    String text = text(name);
    try {
      return text == null ? null : parse(text);
    } catch (DateTimeException e) {
      throw refuse(name, "'%s' %s".formatted(text, ErrorWords.of(e)));
    }
  }

  /**
   * @throws DateTimeException saying what is wrong with the text, to be put after it. The text is
   *     no instant, or is beyond what can be kept and shown
   */
  static Instant parse(String text) {
    Instant instant;
    try {
      instant = OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new DateTimeException("is not " + FORM, e);
    }
    if (instant.isBefore(Instant.EPOCH) || instant.isAfter(DelayLimits.LATEST)) {
      throw new DateTimeException(
          "is out of range; allowed: %s to %s".formatted(Instant.EPOCH, DelayLimits.LATEST));
    }
    return instant;
  }

  /** States, from repeated parameters or with commas between them. */
  public Set<MessageState> states(String name) {
    Set<MessageState> states = EnumSet.noneOf(MessageState.class);
    for (String each : context.queryParams(name)) {
      for (String word : each.split(",", -1)) {
        states.add(state(name, word));
      }
    }
    return states;
  }

  private static MessageState state(String name, String word) {
    try {
      return MessageState.valueOf(word.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw refuse(name, "'%s'; allowed: %s".formatted(word, List.of(MessageState.values())));
    }
  }
}
