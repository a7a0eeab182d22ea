// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import com.rabbitmq.client.Channel;
import io.pocketwatch.TopologyException;
import io.pocketwatch.topology.BindingSpec;
import io.pocketwatch.topology.ExchangeSpec;
import io.pocketwatch.topology.QueueSpec;
import io.pocketwatch.topology.Topology;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Declares or checks exchanges, queues and bindings. What exists and differs is left alone. */
final class TopologyKeeper {
  private static final int NAMED_IN_MESSAGE = 10;

  private final AdminChannels admin;

  TopologyKeeper(AdminChannels admin) {
    this.admin = admin;
  }

  /**
   * Declares what is missing. Looks at every exchange and queue before it binds anything, so that a
   * leftover of another configuration never gets a message of this one.
   *
   * @throws TopologyException naming everything the broker refused
   */
  void declare(Topology topology) throws IOException, TimeoutException {
    List<String> refused = new ArrayList<>();
    for (ExchangeSpec exchange : topology.exchanges()) {
      attempt(channel -> declare(channel, exchange), refused);
    }
    for (QueueSpec queue : topology.queues()) {
      attempt(channel -> declare(channel, queue), refused);
    }
    if (!refused.isEmpty()) {
      throw new TopologyException(
          "RabbitMQ refused "
              + summary(refused)
              + ". Nothing that existed was changed and nothing was bound. If this is left over from"
              + " another configuration, let its queues drain and delete them, or choose another"
              + " name-prefix");
    }
    for (BindingSpec binding : topology.bindings()) {
      attempt(channel -> bind(channel, binding), refused);
    }
    if (!refused.isEmpty()) {
      throw new TopologyException("RabbitMQ refused to bind " + summary(refused));
    }
  }

  /**
   * Checks that every exchange and queue exists. AMQP cannot show bindings or arguments.
   *
   * @throws TopologyException naming what is missing
   */
  void verify(Topology topology) throws IOException, TimeoutException {
    List<String> missing = new ArrayList<>();
    for (ExchangeSpec exchange : topology.exchanges()) {
      attempt(channel -> channel.exchangeDeclarePassive(exchange.name()), missing);
    }
    for (QueueSpec queue : topology.queues()) {
      attempt(channel -> channel.queueDeclarePassive(queue.name()), missing);
    }
    if (!missing.isEmpty()) {
      throw new TopologyException(
          "topology: verify, but the broker answers "
              + summary(missing)
              + ". Start once with topology: declare, or have them declared");
    }
  }

  /** Collects refusals; a lost connection is not one. */
  private void attempt(AdminChannels.Action<?> action, List<String> refused)
      throws IOException, TimeoutException {
    try {
      admin.call(action);
    } catch (IOException e) {
      if (!BrokerError.refused(e)) {
        throw e;
      }
      refused.add(BrokerError.text(e));
    }
  }

  static Object declare(Channel channel, ExchangeSpec exchange) throws IOException {
    return channel.exchangeDeclare(
        exchange.name(), exchange.type(), true, false, exchange.arguments());
  }

  static Object declare(Channel channel, QueueSpec queue) throws IOException {
    return channel.queueDeclare(queue.name(), true, false, false, queue.arguments());
  }

  static Object bind(Channel channel, BindingSpec binding) throws IOException {
    return binding.toQueue()
        ? channel.queueBind(binding.target(), binding.source(), binding.routingKey())
        : channel.exchangeBind(binding.target(), binding.source(), binding.routingKey());
  }

  private static String summary(List<String> problems) {
    List<String> first = problems.subList(0, Math.min(NAMED_IN_MESSAGE, problems.size()));
    String more = problems.size() > first.size() ? " and more of the kind" : "";
    return problems.size() + " of ours: " + String.join("; ", first) + more;
  }
}
