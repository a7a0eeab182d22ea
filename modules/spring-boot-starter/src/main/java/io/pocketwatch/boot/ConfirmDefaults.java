// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.spring.internal.ExistingBeans;
import io.pocketwatch.spring.internal.SpringInternals;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.RabbitAccessor;
import org.springframework.amqp.rabbit.transaction.RabbitTransactionManager;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.InfrastructureProxy;
import org.springframework.core.PriorityOrdered;

/**
 * Turns on confirms and returns of the connection factory that Boot makes, unless the application
 * sets them. Without them nobody learns that a message was not held. Transacted channels exclude
 * confirms, which are turned off again when something is made that uses such channels. A connection
 * factory of the application's own is left as it is; if it has no confirms, the log says so.
 * Declare it as a {@code static} bean.
 */
final class ConfirmDefaults implements BeanPostProcessor, PriorityOrdered, SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(ConfirmDefaults.class);
  private static final String BOOT = "org.springframework.boot.";
  private static final String CONFIRM_TYPE = "spring.rabbitmq.publisher-confirm-type";
  private static final String RETURNS = "spring.rabbitmq.publisher-returns";

  private final ConfigurableListableBeanFactory beans;
  private final Predicate<String> isSet;
  private final Set<CachingConnectionFactory> turnedOn = ConcurrentHashMap.newKeySet();
  private volatile boolean running;

  /**
   * @param isSet whether the application sets a property, in whichever spelling
   */
  ConfirmDefaults(ConfigurableListableBeanFactory beans, Predicate<String> isSet) {
    this.beans = beans;
    this.isSet = isSet;
  }

  /** Runs before unordered processors, which may need a connection factory early. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof CachingConnectionFactory factory && isBoots(name)) {
      turnOn(name, factory);
    }
    goWithoutConfirms(bean);
    return bean;
  }

  private void turnOn(String name, CachingConnectionFactory factory) {
    if (!isSet.test(CONFIRM_TYPE) && !confirms(factory)) {
      factory.setPublisherConfirmType(ConfirmType.CORRELATED);
      turnedOn.add(factory);
      LOG.info("Confirms of '{}' are on; {} is not set", name, CONFIRM_TYPE);
    }
    if (!isSet.test(RETURNS)) {
      factory.setPublisherReturns(true);
      LOG.info("Returns of '{}' are on; {} is not set", name, RETURNS);
    }
  }

  private static boolean confirms(ConnectionFactory factory) {
    return factory.isPublisherConfirms() || factory.isSimplePublisherConfirms();
  }

  /** Whether Boot makes the bean: its method is in a configuration class of Boot's. */
  private boolean isBoots(String name) {
    if (!beans.containsBeanDefinition(name)) {
      return false;
    }
    String configuration = beans.getBeanDefinition(name).getFactoryBeanName();
    return configuration != null && configuration.startsWith(BOOT);
  }

  /** Catches beans that were made before this one, and containers that are not beans. */
  @Override
  public void start() {
    made(RabbitAccessor.class).forEach(this::goWithoutConfirms);
    made(RabbitTransactionManager.class).forEach(this::goWithoutConfirms);
    made(AbstractRabbitListenerContainerFactory.class).forEach(this::goWithoutConfirms);
    ExistingBeans.containers(beans).forEach(this::goWithoutConfirms);
    tellOfNone();
    running = true;
  }

  /** Warns only of the application's own factory: of Boot's, the log has told already. */
  private void tellOfNone() {
    Map<String, ConnectionFactory> made = ExistingBeans.of(beans, ConnectionFactory.class);
    if (made.isEmpty() || isSet.test(CONFIRM_TYPE)) {
      return;
    }
    ConnectionFactory chosen = beans.getBeanProvider(ConnectionFactory.class).getIfUnique();
    made.forEach(
        (name, factory) -> {
          if (factory == chosen && !isBoots(name) && !confirms(factory)) {
            LOG.warn(
                "Confirms of '{}' are off, so nobody learns that a message was not held. Turn them"
                    + " on, or set {}: none",
                name,
                CONFIRM_TYPE);
          }
        });
  }

  private Collection<?> made(Class<?> type) {
    return ExistingBeans.of(beans, type).values();
  }

  private void goWithoutConfirms(Object user) {
    ConnectionFactory used = turnedOn.isEmpty() ? null : transactedBy(user);
    if (used != null) {
      turnedOn.stream().filter(factory -> isThat(used, factory)).forEach(this::turnOff);
    }
  }

  private void turnOff(CachingConnectionFactory factory) {
    if (turnedOn.remove(factory)) {
      factory.setPublisherConfirmType(ConfirmType.NONE);
      LOG.info(
          "Channels of this application are transacted, which excludes confirms; they are off"
              + " again. Set {} to say so yourself",
          CONFIRM_TYPE);
    }
  }

  /**
   * The factory whose channels a template, container or transaction manager has transacted; else
   * null. Also of a container factory: its containers may be registered after all checks.
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

  private static @Nullable ConnectionFactory transactedBy(
      AbstractRabbitListenerContainerFactory<?> factory) {
    return Boolean.TRUE.equals(SpringInternals.FACTORY_TRANSACTED.of(factory))
            && SpringInternals.FACTORY_CONNECTIONS.of(factory) instanceof ConnectionFactory used
        ? used
        : null;
  }

  /** Sees through our factory, which a container has in front of the application's. */
  private static boolean isThat(ConnectionFactory used, CachingConnectionFactory factory) {
    Object users = used instanceof InfrastructureProxy ours ? ours.getWrappedObject() : used;
    return users == factory || users == factory.getPublisherConnectionFactory();
  }

  @Override
  public void stop() {
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Starts before any container. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }
}
