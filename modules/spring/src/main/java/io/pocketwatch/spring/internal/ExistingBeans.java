// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds the beans that an application has created already, without creating any. */
public final class ExistingBeans {
  private ExistingBeans() {}

  /** The beans of a type, by name. */
  public static <T> Map<String, T> of(ConfigurableListableBeanFactory beans, Class<T> type) {
    Map<String, T> made = new LinkedHashMap<>();
    for (String name : beans.getBeanNamesForType(type, false, false)) {
      if (beans.containsSingleton(name)) {
        made.put(name, beans.getBean(name, type));
      }
    }
    return made;
  }

  /** The containers of listener endpoints, which are no beans; all are there at the start. */
  public static List<AbstractMessageListenerContainer> containers(ListableBeanFactory beans) {
    List<AbstractMessageListenerContainer> all = new ArrayList<>();
    beans
        .getBeanProvider(RabbitListenerEndpointRegistry.class)
        .forEach(
            registry -> {
              for (Object container : registry.getListenerContainers()) {
                if (container instanceof AbstractMessageListenerContainer known) {
                  all.add(known);
                }
              }
            });
    return all;
  }
}
