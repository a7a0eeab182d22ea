// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.server.broker.ManagementClient;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An exchange as the management API describes it.
 *
 * @param exchange the description
 * @param outgoing bindings that begin at it
 * @param incoming bindings that end at it
 */
record FoundExchange(JsonNode exchange, JsonNode outgoing, JsonNode incoming) {
  static final String DELAYED = "x-delayed-message";

  private static final String TYPE_ARGUMENT = "x-delayed-type";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  FoundExchange(ManagementClient.Exchange found) {
    this(found.description(), found.outgoing(), found.incoming());
  }

  String type() {
    return exchange.path("type").asText();
  }

  boolean delayed() {
    return DELAYED.equals(type());
  }

  /** How many messages the plugin holds in it on the node that was asked, if that says so. */
  OptionalLong messagesDelayed() {
    JsonNode count = exchange.path("messages_delayed");
    return count.isIntegralNumber() ? OptionalLong.of(count.asLong()) : OptionalLong.empty();
  }

  /**
   * The definition it is to get.
   *
   * @param type the underlying type if it is given; else the exchange must name it
   */
  ExchangeDefinition definition(@Nullable String type) {
    Map<String, Object> arguments = map(exchange.path("arguments"));
    Object named = arguments.remove(TYPE_ARGUMENT);
    String name = exchange.path("name").asText();
    if (type == null && named == null) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "exchange '%s' has no argument %s that names its underlying type: give --type"
              .formatted(name, TYPE_ARGUMENT));
    }
    Set<ExchangeBinding> bindings = new LinkedHashSet<>(); // one to itself is in both lists
    outgoing.forEach(each -> bindings.add(binding(each)));
    incoming.forEach(each -> bindings.add(binding(each)));
    return new ExchangeDefinition(
        exchange.path("vhost").asText(),
        name,
        type != null ? type : String.valueOf(named),
        exchange.path("durable").asBoolean(),
        exchange.path("auto_delete").asBoolean(),
        exchange.path("internal").asBoolean(),
        arguments,
        List.copyOf(bindings));
  }

  private static ExchangeBinding binding(JsonNode found) {
    return new ExchangeBinding(
        found.path("source").asText(),
        found.path("destination").asText(),
        "queue".equals(found.path("destination_type").asText()),
        found.path("routing_key").asText(),
        map(found.path("arguments")));
  }

  /** A table as a map; some brokers make an empty list of an empty table. */
  private static Map<String, Object> map(JsonNode table) {
    Map<String, Object> map = new LinkedHashMap<>();
    if (table.isObject()) {
      table
          .properties()
          .forEach(
              each -> map.put(each.getKey(), MAPPER.convertValue(each.getValue(), Object.class)));
    }
    return map;
  }
}
