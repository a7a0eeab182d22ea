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
 * Checks that no route is known to lead to a container that the guard cannot serve. Such a
 * container never acknowledges, or acknowledges in a transaction.
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
      boolean transacted = container.isChannelTransacted();
      String problem = transacted ? TransactedContainer.WHY_AND_WHAT : problem(container);
      if (problem != null) {
        for (String queue : container.getQueueNames()) {
          for (DelayRoute route : routes.routes()) {
            if ((route.tracking() == Tracking.FULL || transacted && hasRetries(route))
                && goesTo(route, queue)) {
              refuse(container, queue, route, problem);
            }
          }
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

  private static boolean hasRetries(DelayRoute route) {
    return route.retries() != null && !route.retries().isEmpty();
  }

  private static void refuse(
      AbstractMessageListenerContainer container, String queue, DelayRoute route, String problem) {
    throw new IllegalStateException(
        "container '%s' consumes '%s', to which the route '%s' (%s) leads, with %s"
            .formatted(
                container.getListenerId(),
                queue,
                route.name(),
                route.tracking() == Tracking.FULL ? "tracked" : "retries",
                problem));
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
