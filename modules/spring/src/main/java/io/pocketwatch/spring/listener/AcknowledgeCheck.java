// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Whether tracked messages come to containers that cannot settle them, as far as it is known. Such
 * a container never acknowledges, or acknowledges what a transaction may undo.
 */
final class AcknowledgeCheck {
  private final DelayRoutes routes;
  private final ListableBeanFactory beans;

  AcknowledgeCheck(DelayRoutes routes, ListableBeanFactory beans) {
    this.routes = routes;
    this.beans = beans;
  }

  void check(Collection<AbstractMessageListenerContainer> containers) {
    for (AbstractMessageListenerContainer container : containers) {
      String problem = problem(container);
      if (problem != null) {
        for (String queue : container.getQueueNames()) {
          refuse(container, queue, problem);
        }
      }
    }
  }

  private static @Nullable String problem(AbstractMessageListenerContainer container) {
    if (container.getAcknowledgeMode().isAutoAck()) {
      return "acknowledge mode NONE. Its messages would be lost if this consumer died. Use AUTO or"
          + " MANUAL, or tracking: handoff";
    }
    String transaction =
        ManualTransaction.isManual(container) ? ManualTransaction.of(container) : null;
    return transaction == null
        ? null
        : "acknowledge mode MANUAL inside of a transaction, %s. %s"
            .formatted(transaction, ManualTransaction.WHY_AND_WHAT);
  }

  private void refuse(AbstractMessageListenerContainer container, String queue, String problem) {
    for (DelayRoute route : routes.routes()) {
      if (route.tracking() == Tracking.FULL && goesTo(route, queue)) {
        throw new IllegalStateException(
            "container '%s' consumes '%s', to which the tracked route '%s' leads, with %s"
                .formatted(container.getListenerId(), queue, route.name(), problem));
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
