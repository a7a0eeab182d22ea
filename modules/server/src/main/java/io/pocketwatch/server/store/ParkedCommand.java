// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what was given up. */
@Command(
    name = "parked",
    description = {
      "Lists the messages that were given up, each with its reason, those due first at the top.",
      "They stay until somebody decides: 'release' tries again, 'cancel' ends them.",
      ""
    },
    footer = {"", "  pocketwatch parked --route order-timeout"})
public final class ParkedCommand extends StoreVerb {
  private static final int SHOWN = 1_000;

  @Option(names = "--route", paramLabel = "ROUTE", description = "Only this route.")
  private @Nullable String route;

  @Option(names = "--json", description = "Print one JSON object in place of the table.")
  private boolean json;

  @Override
  boolean run(Asked asked) {
    MessageQuery query =
        new MessageQuery(route, Set.of(MessageState.PARKED), null, null, null, null, null, SHOWN);
    List<StoredMessage> parked = asked.store().list(query);
    long all = parked.size() < SHOWN ? parked.size() : asked.store().count(query);
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("parked", all);
      object.put("messages", parked.stream().map(MessageJson::of).toList());
      asked.screen().result(Json.line(object));
      return true;
    }
    if (parked.isEmpty()) {
      asked.screen().say("Nothing is parked" + (route == null ? "." : " on route " + route + "."));
      return true;
    }
    MessageTable.parked(parked).forEach(asked.screen()::result);
    asked
        .screen()
        .say(
            (all == parked.size() ? "" : "The first " + Numbers.count(parked.size()) + " of ")
                + Numbers.of(all, "parked message")
                + ". To try again: pocketwatch release ROUTE ID, or --all.");
    return true;
  }
}
