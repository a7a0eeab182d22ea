// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.LongString;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.internal.topology.BccKeys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The sender's keys of a message, checked: routing key, {@code CC}, {@code BCC}. */
record RoutingKeys(String routingKey, List<String> cc, List<String> bcc) {
  private static final int MAX_BYTES = 255;

  /** Reads and checks the keys; the broker would close the channel on those refused here. */
  static RoutingKeys of(String id, String routingKey, @Nullable Map<String, Object> headers) {
    requireKey(id, "routing key", routingKey);
    if (headers == null) {
      return new RoutingKeys(routingKey, List.of(), List.of());
    }
    return new RoutingKeys(routingKey, keys(id, "CC", headers), keys(id, "BCC", headers));
  }

  boolean single() {
    return cc.isEmpty() && bcc.isEmpty();
  }

  /** The keys besides the routing key. */
  List<String> copies() {
    return Stream.concat(cc.stream(), bcc.stream()).toList();
  }

  private static List<String> keys(String id, String header, Map<String, Object> headers) {
    if (!headers.containsKey(header)) {
      return List.of();
    }
    Object value = headers.get(header); // a null would be sent, and refused by the broker
    List<?> elements;
    if (value instanceof List<?> list) {
      elements = list;
    } else if (value instanceof Object[] array) {
      elements = Arrays.asList(array);
    } else {
      throw new InvalidMessageException(
          id, "header " + header + " must be an array of strings, not " + typeName(value));
    }
    List<String> keys = new ArrayList<>(elements.size());
    for (Object element : elements) {
      if (!(element instanceof String) && !(element instanceof LongString)) {
        throw new InvalidMessageException(
            id, "header " + header + " must hold strings only, not " + typeName(element));
      }
      String key = element.toString();
      if (element instanceof LongString bytes
          && !Arrays.equals(bytes.getBytes(), key.getBytes(StandardCharsets.UTF_8))) {
        throw new InvalidMessageException(id, header + " key '" + key + "' is not UTF-8");
      }
      requireKey(id, header + " key", key);
      keys.add(key);
    }
    return keys;
  }

  private static void requireKey(String id, String what, String key) {
    requireShort(id, what, key);
    if (key.startsWith(BccKeys.RESERVED)) {
      throw new InvalidMessageException(
          id, what + " '" + key + "' begins with " + BccKeys.RESERVED + ", which is reserved");
    }
  }

  /** Refuses a name or key that is too long: AMQP carries it as a short string. */
  static void requireShort(String id, String what, String text) {
    requireText(id, what, text);
    // Three bytes is the most a char takes in UTF-8 (a surrogate pair takes four).
    if (text.length() * 3 > MAX_BYTES) {
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > MAX_BYTES) {
        throw new InvalidMessageException(
            id, "%s is %s bytes long; allowed: %s".formatted(what, bytes, MAX_BYTES));
      }
    }
  }

  /** Refuses half a surrogate pair: it would be sent as a question mark, as another key or id. */
  static void requireText(String id, String what, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!Character.isSurrogate(text.charAt(i))) {
        continue;
      }
      if (!Character.isSurrogatePair(
          text.charAt(i), i + 1 < text.length() ? text.charAt(i + 1) : 0)) {
        throw new InvalidMessageException(
            id, what + " has half a surrogate pair at index " + i + ", which UTF-8 cannot carry");
      }
      i++;
    }
  }

  private static String typeName(@Nullable Object value) {
    return value == null ? "null" : value.getClass().getSimpleName();
  }
}
