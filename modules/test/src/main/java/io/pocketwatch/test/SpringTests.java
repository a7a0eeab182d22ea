// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.localbroker.VirtualHost;
import io.pocketwatch.spring.wiring.BrokerAccess;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** For Spring's tests, which find it by {@code META-INF/spring.factories}. */
final class SpringTests implements ContextCustomizerFactory {
  @Override
  public ContextCustomizer createContextCustomizer(
      Class<?> test, List<ContextConfigurationAttributes> attributes) {
    return new Additions(TestContextAnnotationUtils.hasAnnotation(test, TestBroker.class));
  }

  /** A value, since Spring caches contexts by it. */
  private record Additions(boolean broker) implements ContextCustomizer {
    private static final String NAME = "pocketwatchTestTime";

    @Override
    public void customizeContext(
        ConfigurableApplicationContext context, MergedContextConfiguration merged) {
      VirtualHost host =
          broker ? SharedBroker.virtualHost(merged.getTestClass().getSimpleName()) : null;
      if (host != null) {
        context
            .getEnvironment()
            .getPropertySources()
            .addFirst(
                new MapPropertySource(
                    NAME, Map.of("spring.rabbitmq.addresses", host.amqpUri().toString())));
      }
      ConfigurableListableBeanFactory beans = context.getBeanFactory();
      if (host != null
          && beans instanceof DefaultSingletonBeanRegistry registry
          && SharedBroker.outlivesJvm()) {
        registry.registerDisposableBean(NAME, host::delete); // the first one, so destroyed last
      }
      if (beans instanceof BeanDefinitionRegistry registry) {
        RootBeanDefinition time = new RootBeanDefinition(TestTime.class, () -> time(beans, host));
        time.setLazyInit(true);
        registry.registerBeanDefinition(NAME, time);
      }
    }

    private static TestTime time(BeanFactory beans, @Nullable VirtualHost host) {
      DelayedPublisher publisher = beans.getBean(DelayedPublisher.class);
      BrokerAccess access = access(beans);
      if (host == null) {
        return new TestTime(publisher, () -> connect(access), Optional::empty);
      }
      String used = access.factory().getVirtualHost();
      if (!used.equals(host.name())) { // nothing would ever wait in the test's own
        throw new IllegalStateException(
            "the application's connection factory does not read spring.rabbitmq.addresses: its"
                + " virtual host is %s, and that of @TestBroker %s; have it read that property, or"
                    .formatted(used, host.name())
                + " leave @TestBroker out");
      }
      return new TestTime(publisher, () -> connect(access), host::queues);
    }

    /** The broker access of the publisher; without Boot it need not be a bean. */
    private static BrokerAccess access(BeanFactory beans) {
      return beans
          .getBeanProvider(BrokerAccess.class)
          .getIfAvailable(
              () ->
                  BrokerAccess.of(
                      BrokerAccess.chosen(beans.getBeanProvider(ConnectionFactory.class))));
    }

    private static Connection connect(BrokerAccess access) throws IOException, TimeoutException {
      List<Address> addresses = access.addresses().getAddresses();
      return addresses.isEmpty()
          ? access.factory().newConnection(TestTime.NAME)
          : access.factory().newConnection(addresses, TestTime.NAME);
    }
  }
}
