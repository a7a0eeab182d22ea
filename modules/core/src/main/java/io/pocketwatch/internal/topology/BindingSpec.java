// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A binding of ours, to a queue or to another exchange.
 *
 * @param arguments the headers that a headers exchange matches; null stands for any value
 */
public record BindingSpec(
    String source,
    String target,
    boolean toQueue,
    String routingKey,
    Map<String, @Nullable Object> arguments) {
  public BindingSpec {
    arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments)); // copyOf takes no null
  }

  /** A binding without arguments. */
  public BindingSpec(String source, String target, boolean toQueue, String routingKey) {
    this(source, target, toQueue, routingKey, Map.of());
  }

  static BindingSpec queue(String source, String queue, String routingKey) {
    return new BindingSpec(source, queue, true, routingKey);
  }

  static BindingSpec exchange(String source, String exchange, String routingKey) {
    return new BindingSpec(source, exchange, false, routingKey);
  }

  /** A copy from a headers exchange, for messages with that header, which may begin with x-. */
  BindingSpec ofHeader(String header) {
    Map<String, @Nullable Object> wanted = new LinkedHashMap<>();
    wanted.put("x-match", "any-with-x");
    wanted.put(header, null);
    return new BindingSpec(source, target, toQueue, routingKey, wanted);
  }
}
