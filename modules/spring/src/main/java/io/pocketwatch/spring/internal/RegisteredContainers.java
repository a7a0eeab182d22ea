// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import java.util.ArrayList;
import java.util.List;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.beans.factory.ListableBeanFactory;

/** The containers of listener endpoints, which are no beans. */
public final class RegisteredContainers {
  private RegisteredContainers() {}

  /** Those of now; all of them are there when the context starts. */
  public static List<AbstractMessageListenerContainer> of(ListableBeanFactory beans) {
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
