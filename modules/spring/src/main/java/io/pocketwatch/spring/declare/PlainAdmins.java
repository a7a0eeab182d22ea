// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.amqp.core.Declarable;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.beans.factory.ListableBeanFactory;

/** The admins of a context that need help with exchanges of the plugin. */
final class PlainAdmins {
  private final ListableBeanFactory beans;

  PlainAdmins(ListableBeanFactory beans) {
    this.beans = beans;
  }

  /** Of all admins that may declare it; none if each of them can do it by itself. */
  Set<ConnectionFactory> brokersFor(Declarable declarable) {
    Collection<?> named = declarable.getDeclaringAdmins();
    Map<String, RabbitAdmin> admins = beans.getBeansOfType(RabbitAdmin.class, false, false);
    Set<ConnectionFactory> brokers = new HashSet<>();
    boolean plain = admins.isEmpty();
    for (Map.Entry<String, RabbitAdmin> each : admins.entrySet()) {
      RabbitAdmin admin = each.getValue();
      if (named.isEmpty() || named.contains(admin) || named.contains(each.getKey())) {
        brokers.add(admin.getRabbitTemplate().getConnectionFactory());
        plain |= !(admin instanceof DelayedRabbitAdmin);
      }
    }
    if (!plain) {
      return Set.of();
    }
    // An admin that declares while it is being made is no bean yet.
    return brokers.isEmpty()
        ? Set.copyOf(beans.getBeansOfType(ConnectionFactory.class, false, false).values())
        : brokers;
  }
}
