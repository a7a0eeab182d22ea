// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.StorePolicy.Tracking;
import java.util.Collection;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.beans.factory.ListableBeanFactory;

/** Whether tracked messages come to containers that never acknowledge, as far as it is known. */
final class AcknowledgeCheck {
  private final DelayRoutes routes;
  private final ListableBeanFactory beans;

  AcknowledgeCheck(DelayRoutes routes, ListableBeanFactory beans) {
    this.routes = routes;
    this.beans = beans;
  }

  void check(Collection<AbstractMessageListenerContainer> containers) {
    for (AbstractMessageListenerContainer container : containers) {
      if (container.getAcknowledgeMode().isAutoAck()) {
        for (String queue : container.getQueueNames()) {
          refuse(container, queue);
        }
      }
    }
  }

  private void refuse(AbstractMessageListenerContainer container, String queue) {
    for (DelayRoute route : routes.routes()) {
      if (route.store().tracking() == Tracking.FULL && goesTo(route, queue)) {
        throw new IllegalStateException(
            "container '%s' consumes '%s' with acknowledge mode NONE, and the route '%s' to it is"
                    .formatted(container.getListenerId(), queue, route.name())
                + " tracked: its messages would be lost if this consumer died. Use AUTO or MANUAL,"
                + " or tracking: handoff");
      }
    }
  }

  private boolean goesTo(DelayRoute route, String queue) {
    String exchange = route.exchange();
    String key = route.routingKey();
    if (exchange == null) {
      return false;
    }
    if (exchange.isEmpty()) {
      return queue.equals(key);
    }
    return beans.getBeanProvider(Binding.class).stream()
        .anyMatch(
            binding ->
                binding.isDestinationQueue()
                    && queue.equals(binding.getDestination())
                    && exchange.equals(binding.getExchange())
                    && (key == null || key.equals(binding.getRoutingKey())));
  }
}
