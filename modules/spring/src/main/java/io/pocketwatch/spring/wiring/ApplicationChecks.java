// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.spring.DelayedBatchingRabbitTemplate;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.spring.internal.RegisteredContainers;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.RabbitAccessor;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.transaction.RabbitTransactionManager;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Looks at an application whose beans are made, before any container starts; and for transacted
 * channels at each bean as it is made, however late, before it opens the first. Makes none itself:
 * what is lazy stays so. A connection factory of the application's own is left as it is. Declare it
 * as a {@code static} bean.
 */
public final class ApplicationChecks implements BeanPostProcessor, SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationChecks.class);
  private static final String BOOT = "org.springframework.boot.";
  private static final String TEST_TEMPLATE =
      "org.springframework.amqp.rabbit.test.TestRabbitTemplate";

  private final ConfigurableListableBeanFactory beans;
  private final ConfigurableEnvironment environment;
  private volatile boolean running;

  ApplicationChecks(ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment) {
    this.beans = beans;
    this.environment = environment;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    goWithoutConfirms(bean);
    return bean;
  }

  /** Also for beans that were made before this one, and for containers that are none. */
  @Override
  public void start() {
    made(RabbitTemplate.class).forEach(ApplicationChecks::warnOfUndelaying);
    ClassLoader loader = beans.getBeanClassLoader();
    if (loader != null) {
      NotCovered.KNOWN.warnings(beans, loader).forEach(LOG::warn);
    }
    made(RabbitAccessor.class).values().forEach(this::goWithoutConfirms);
    made(RabbitTransactionManager.class).values().forEach(this::goWithoutConfirms);
    made(AbstractRabbitListenerContainerFactory.class).values().forEach(this::goWithoutConfirms);
    RegisteredContainers.of(beans).forEach(this::goWithoutConfirms);
    running = true;
  }

  private static void warnOfUndelaying(String name, RabbitTemplate template) {
    if (!(template instanceof DelayedRabbitTemplate)
        && !(template instanceof DelayedBatchingRabbitTemplate)
        && !isOfTest(template)) {
      LOG.warn(
          "The template '{}' is not a DelayedRabbitTemplate: it sends at once what asks for a"
              + " delay. Make it one, or inject another",
          name);
    }
  }

  /** Which sends nothing: a mock, of whichever maker, or a {@code TestRabbitTemplate}. */
  private static boolean isOfTest(RabbitTemplate template) {
    return template.getUUID() == null || template.getClass().getName().equals(TEST_TEMPLATE);
  }

  /** If confirms are on because of us, and it is to have transacted channels. */
  private void goWithoutConfirms(Object user) {
    ConnectionFactory used = transactedBy(user);
    if (used != null && ConfirmDefaults.haveTurnedOnConfirms(environment)) {
      made(CachingConnectionFactory.class)
          .forEach(
              (name, factory) -> {
                if (isThat(used, factory) && factory.isPublisherConfirms() && madeByBoot(name)) {
                  turnOffConfirms(factory);
                }
              });
    }
  }

  /**
   * Whose channels a template, container or transaction manager has transacted; else null. Also a
   * factory of containers: these are no beans, and may be registered when all checks are over.
   */
  private static @Nullable ConnectionFactory transactedBy(Object user) {
    if (user instanceof RabbitTransactionManager manager) {
      return manager.getConnectionFactory();
    }
    if (user instanceof AbstractRabbitListenerContainerFactory<?> factory) {
      return transactedBy(factory);
    }
    return user instanceof RabbitAccessor accessor && accessor.isChannelTransacted()
        ? accessor.getConnectionFactory()
        : null;
  }

  /** It has no getters; the fields are read. */
  private static @Nullable ConnectionFactory transactedBy(
      AbstractRabbitListenerContainerFactory<?> factory) {
    DirectFieldAccessor fields = new DirectFieldAccessor(factory);
    return Boolean.TRUE.equals(fields.getPropertyValue("channelTransacted"))
            && fields.getPropertyValue("connectionFactory") instanceof ConnectionFactory used
        ? used
        : null;
  }

  private static void turnOffConfirms(CachingConnectionFactory factory) {
    factory.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.NONE);
    LOG.warn(
        "Channels of this application are transacted, which excludes confirms; they stay off."
            + " Set {} to say so yourself",
        ConfirmDefaults.CONFIRM_TYPE);
  }

  /** By the configuration class that its bean method is in. */
  private boolean madeByBoot(String name) {
    if (!beans.containsBeanDefinition(name)) {
      return false;
    }
    String configuration = beans.getBeanDefinition(name).getFactoryBeanName();
    return configuration != null && configuration.startsWith(BOOT);
  }

  /** A container's is one of ours in front of the application's. */
  private static boolean isThat(ConnectionFactory used, CachingConnectionFactory factory) {
    Object users = TransactionSynchronizationUtils.unwrapResourceIfNecessary(used);
    return users == factory || users == factory.getPublisherConnectionFactory();
  }

  private <T> Map<String, T> made(Class<T> type) {
    Map<String, T> made = new LinkedHashMap<>();
    for (String name : beans.getBeanNamesForType(type, false, false)) {
      if (beans.containsSingleton(name)) {
        made.put(name, beans.getBean(name, type));
      }
    }
    return made;
  }

  @Override
  public void stop() {
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Before any container. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }
}
