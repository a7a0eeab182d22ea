// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The exchange as it is to be in the end.
 *
 * @param type the underlying type
 * @param arguments without the plugin's own
 * @param bindings first those from the exchange, then those to it, so that a message that comes in
 *     finds the way out
 */
record ExchangeDefinition(
    String virtualHost,
    String name,
    String type,
    boolean durable,
    boolean autoDelete,
    boolean internal,
    Map<String, Object> arguments,
    List<ExchangeBinding> bindings) {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Declares the exchange; the broker refuses if a different one has its name. */
  void declare(Channel channel) throws IOException {
    channel.exchangeDeclare(name, type, durable, autoDelete, internal, arguments);
  }

  /** As an entry of {@code exchanges} in a definitions file of the broker. */
  String json() {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("name", name);
    entry.put("vhost", virtualHost);
    entry.put("type", type);
    entry.put("durable", durable);
    entry.put("auto_delete", autoDelete);
    entry.put("internal", internal);
    entry.put("arguments", arguments);
    return MAPPER.valueToTree(entry).toString();
  }

  String words() {
    return type
        + (durable ? ", durable" : ", not durable")
        + (autoDelete ? ", auto-delete" : "")
        + (internal ? ", internal" : "")
        + (arguments.isEmpty() ? "" : ", arguments " + arguments);
  }
}
