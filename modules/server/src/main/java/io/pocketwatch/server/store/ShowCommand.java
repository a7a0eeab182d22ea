// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one stored message, whole. */
@Command(
    name = "show",
    description = {
      "Shows one stored message with its headers and its body, as it was sent.",
      "Changes nothing.",
      ""
    },
    footer = {
      "",
      "  pocketwatch show order-timeout ID",
      "  pocketwatch show order-timeout ID --json",
      "",
      "Exit code 1 if there is no such message."
    })
public final class ShowCommand extends StoreVerb {
  private static final int NAME_COLUMN = 16;

  @Parameters(index = "0", paramLabel = "ROUTE", description = "Its route.")
  private String route = "";

  @Parameters(index = "1", paramLabel = "ID", description = "Its id.")
  private String id = "";

  @Option(names = "--json", description = "Print one JSON object in place of the text.")
  private boolean json;

  @Override
  boolean run(Asked asked) {
    MessageKey key = new MessageKey(route, id);
    Optional<StoredMessage> found = asked.store().find(key);
    if (found.isEmpty()) {
      asked
          .screen()
          .failure(
              "There is no message %s. It may have been finished so long ago that it is history; or its route is not tracked, and the broker has it."
                  .formatted(Visible.word(key.toString())));
      return false;
    }
    Map<String, @Nullable Object> content = MessageContent.of(found.get(), asked.file().routes());
    List<Map<String, @Nullable Object>> life =
        asked
            .store()
            .life(key)
            .map(lived -> MessageLife.of(found.get(), lived, Map.of()))
            .orElse(List.of());
    if (json) {
      Map<String, @Nullable Object> object = Json.map(MessageJson.of(found.get()));
      object.putAll(content);
      life.forEach(
          event ->
              event.replaceAll(
                  (name, value) -> value instanceof Instant at ? Moments.show(at) : value));
      object.put("life", life);
      asked.screen().result(Json.line(object));
    } else {
      write(asked.screen(), found.get(), content, life, asked.store().now());
    }
    return true;
  }

  private static void write(
      Screen screen,
      StoredMessage stored,
      Map<String, @Nullable Object> content,
      List<Map<String, @Nullable Object>> life,
      Instant now) {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("route", stored.key().route());
    facts.put("id", stored.key().id());
    facts.put("state", stored.state());
    facts.put("reason", stored.reason());
    facts.put("due", moment(stored.deliverAt(), now));
    facts.put("held until", moment(stored.heldUntil(), now));
    facts.put("business key", stored.message().businessKey());
    facts.put("target", MessageTable.target(stored.message()));
    facts.put("tracking", stored.message().tracking());
    facts.put("generation", stored.generation());
    facts.put("failed attempts", stored.attempts());
    facts.put("scheduled", moment(stored.createdAt(), now));
    facts.put("last change", moment(stored.updatedAt(), now));
    facts.put("content type", content.get("contentType"));
    facts.put("message id", content.get("messageId"));
    facts.put("correlation id", content.get("correlationId"));
    facts.put("reply to", content.get("replyTo"));
    facts.put("priority", content.get("priority"));
    facts.forEach((name, value) -> line(screen, "", name, value));
    if (!life.isEmpty()) {
      screen.result("life");
      life.forEach(
          event -> line(screen, "  ", String.valueOf(event.get("what")), event(event, now)));
    }
    if (content.get("headers") instanceof Map<?, ?> headers && !headers.isEmpty()) {
      screen.result("headers");
      headers.forEach((name, value) -> line(screen, "  ", String.valueOf(name), header(value)));
    }
    Object text = content.get("bodyText");
    int bytes = stored.message().body().length;
    screen.result("body, %d bytes%s".formatted(bytes, text == null ? ", as base64" : ""));
    screen.result(String.valueOf(text == null ? content.get("bodyBase64") : text));
  }

  /** When it was, and what else is known of it. */
  private static String event(Map<String, @Nullable Object> event, Instant now) {
    List<String> words = new ArrayList<>();
    event.forEach(
        (name, value) -> {
          boolean time = name.equals("at");
          if (value != null && !name.equals("what")) {
            words.add(
                (time ? "" : name + " ")
                    + (value instanceof Instant instant ? moment(instant, now) : value));
          }
        });
    return String.join(", ", words);
  }

  private static Object header(@Nullable Object value) {
    return value instanceof String text ? text : Json.line(value);
  }

  private static void line(Screen screen, String indent, String name, @Nullable Object value) {
    if (value != null) {
      String column = "%s%-" + (NAME_COLUMN - indent.length()) + "s  %s";
      screen.result(
          column.formatted(indent, Visible.word(name), Visible.word(String.valueOf(value))));
    }
  }

  private static @Nullable String moment(@Nullable Instant instant, Instant now) {
    return instant == null
        ? null
        : "%s (%s)".formatted(Moments.show(instant), Moments.relative(instant, now));
  }
}
