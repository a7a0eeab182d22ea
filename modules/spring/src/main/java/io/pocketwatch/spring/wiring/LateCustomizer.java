// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.spring.internal.ExistingBeans;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.amqp.core.Declarable;
import org.springframework.amqp.core.DeclarableCustomizer;
import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.Queue;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Makes a customizer of admins a bean when Spring Cloud Function has looked for functions, or all
 * other beans are made. A {@link DeclarableCustomizer} is a {@code java.util.function.Function}: an
 * application's only function is bound by itself, and with ours there would be two. Declare it as a
 * {@code static} bean.
 */
public final class LateCustomizer
    implements BeanPostProcessor, SmartInitializingSingleton, DisposableBean {
  /** The bean of Spring Cloud Stream that looks for functions. Binders are made after it. */
  private static final String FUNCTIONS_FOUND = "functionBindingRegistrar";

  private final ConfigurableListableBeanFactory beans;
  private final String name;
  private final DeclarableCustomizer customizer;

  /**
   * Prepares the customizer, which is registered later.
   *
   * @param name the bean name of the customizer
   */
  public LateCustomizer(
      ConfigurableListableBeanFactory beans, String name, DeclarableCustomizer customizer) {
    this.beans = beans;
    this.name = name;
    this.customizer = customizer;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (beanName.equals(FUNCTIONS_FOUND)) {
      register();
    }
    return bean;
  }

  private void register() {
    if (!beans.containsSingleton(name)) {
      beans.registerSingleton(name, customizer);
    }
  }

  /** Applies the customizer to the beans that an admin may have declared before. */
  @Override
  public void afterSingletonsInstantiated() {
    register();
    List<Declarable> before = new ArrayList<>();
    before.addAll(ExistingBeans.of(beans, Queue.class).values());
    before.addAll(ExistingBeans.of(beans, Exchange.class).values());
    ExistingBeans.of(beans, Declarables.class)
        .values()
        .forEach(each -> before.addAll(each.getDeclarables()));
    before.forEach(each -> Objects.requireNonNull(customizer.apply(each)));
  }

  @Override
  public void destroy() throws Exception {
    if (customizer instanceof DisposableBean disposable) {
      disposable.destroy();
    }
  }
}
