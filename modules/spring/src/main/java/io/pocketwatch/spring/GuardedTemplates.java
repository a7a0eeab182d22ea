// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.guard.DeliveryGuard;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Has every template of an application that receives by itself ask the guard. Left alone are those
 * of another publisher, whose messages are in no store of the guard. Declare it as a {@code static}
 * bean.
 */
public final class GuardedTemplates implements BeanPostProcessor {
  private final Supplier<DelayedPublisher> publisher;
  private final Supplier<@Nullable DeliveryGuard> guard;

  /**
   * @param publisher the one of the guard's store; asked when there is a template
   * @param guard asked when something is received; null without a store
   */
  public GuardedTemplates(
      Supplier<DelayedPublisher> publisher, Supplier<@Nullable DeliveryGuard> guard) {
    this.publisher = publisher;
    this.guard = guard;
  }

  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    if (bean instanceof DelayedRabbitTemplate template && template.publisher() == publisher.get()) {
      template.setGuard(guard);
    }
    return bean;
  }
}
