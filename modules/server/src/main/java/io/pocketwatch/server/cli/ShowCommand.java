// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.server.view.MessageView;
import io.pocketwatch.server.view.PhaseWords;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.MessageSummary;
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
public final class ShowCommand extends StoreCommand {
  @Parameters(index = "0", paramLabel = "ROUTE", description = "Its route.")
  private String route = "";

  @Parameters(index = "1", paramLabel = "ID", description = "Its id.")
  private String id = "";

  @Option(names = "--json", description = "Print one JSON object in place of the text.")
  private boolean json;

  @Override
  boolean run(Invocation call) {
    MessageKey key = new MessageKey(route, id);
    Optional<StoredMessage> found = call.store().find(key);
    if (found.isEmpty()) {
      call.screen()
          .failure(
              "There is no message %s. It may have been finished so long ago that it is deleted; or its route is not tracked, and the broker has it."
                  .formatted(Visible.word(key.toString())));
      return false;
    }
    Map<String, @Nullable Object> whole =
        MessageView.whole(found.get(), call.file().routes(), call.store());
    if (json) {
      call.screen().result(Json.line(whole));
    } else {
      write(call.screen(), MessageView.summary(found.get(), call.store()), whole, call);
    }
    return true;
  }

  private static void write(
      Screen screen, MessageSummary summary, Map<String, @Nullable Object> whole, Invocation call) {
    StoredMessage stored = summary.stored();
    Instant now = call.store().now();
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("route", stored.key().route());
    facts.put("id", stored.key().id());
    facts.put("state", stored.state());
    facts.put("phase", PhaseWords.of(summary, now));
    facts.put("reason", stored.reason());
    facts.put("due", stored.deliverAt());
    facts.put("next try", stored.nextAt().isAfter(stored.deliverAt()) ? stored.nextAt() : null);
    facts.put("sent", MessageView.sentAt(stored));
    facts.put("held until", MessageView.heldUntil(stored));
    facts.put("business key", stored.message().businessKey());
    facts.put("target", MessageTable.target(stored.message()));
    facts.put("tracking", stored.message().tracking());
    facts.put("generation", stored.generation());
    facts.put("failed attempts", stored.attempts());
    facts.put("scheduled", stored.createdAt());
    facts.put("last change", stored.updatedAt());
    facts.put("content type", whole.get("contentType"));
    facts.put("message id", whole.get("messageId"));
    facts.put("correlation id", whole.get("correlationId"));
    facts.put("reply to", whole.get("replyTo"));
    facts.put("priority", whole.get("priority"));
    KeyValueTable.lines("", facts, now).forEach(screen::result);
    if (whole.get("life") instanceof List<?> events && !events.isEmpty()) {
      screen.result("life");
      events.forEach(each -> write(screen, (Map<?, ?>) each, now));
    }
    if (whole.get("headers") instanceof Map<?, ?> headers && !headers.isEmpty()) {
      screen.result("headers");
      Map<String, @Nullable Object> named = new LinkedHashMap<>();
      headers.forEach((name, value) -> named.put(String.valueOf(name), value));
      KeyValueTable.lines("  ", named, now).forEach(screen::result);
    }
    Object text = whole.get("bodyText");
    int bytes = summary.bodyBytes();
    screen.result("body, %s bytes%s".formatted(bytes, text == null ? ", as base64" : ""));
    screen.result(String.valueOf(text == null ? whole.get("bodyBase64") : text));
  }

  /** Prints one event: what happened, when, and its further facts. */
  private static void write(Screen screen, Map<?, ?> event, Instant now) {
    List<String> words = new ArrayList<>();
    event.forEach(
        (name, value) -> {
          if (value != null && !name.equals("what")) {
            words.add((name.equals("at") ? "" : name + " ") + KeyValueTable.word(value, now));
          }
        });
    Map<String, Object> line = Map.of(String.valueOf(event.get("what")), String.join(", ", words));
    KeyValueTable.lines("  ", line, now).forEach(screen::result);
  }
}
