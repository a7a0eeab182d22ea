// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

/** A binding of ours, to a queue or to another exchange. */
public record BindingSpec(String source, String target, boolean toQueue, String routingKey) {
  static BindingSpec queue(String source, String queue, String routingKey) {
    return new BindingSpec(source, queue, true, routingKey);
  }

  static BindingSpec exchange(String source, String exchange, String routingKey) {
    return new BindingSpec(source, exchange, false, routingKey);
  }
}
