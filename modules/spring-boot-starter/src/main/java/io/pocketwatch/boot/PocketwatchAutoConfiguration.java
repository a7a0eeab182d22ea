// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.spring.TransactionJoin;
import io.pocketwatch.spring.declare.DelayedRabbitAdmin;
import io.pocketwatch.spring.wiring.BrokerAccess;
import io.pocketwatch.spring.wiring.JdbcGuardWiring;
import io.pocketwatch.spring.wiring.JdbcStoreWiring;
import io.pocketwatch.spring.wiring.ListeningWiring;
import io.pocketwatch.spring.wiring.LoaderWiring;
import io.pocketwatch.spring.wiring.MetricsWiring;
import io.pocketwatch.spring.wiring.PublisherWiring;
import io.pocketwatch.spring.wiring.ScheduleMetricsWiring;
import io.pocketwatch.spring.wiring.SchedulesWiring;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.amqp.core.AmqpAdmin;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.env.Environment;

/**
 * Makes the one {@code RabbitTemplate} of an application a {@code DelayedRabbitTemplate},
 * configured and customized by Boot like its own, and wires what it needs. Goes before Boot's
 * configuration for RabbitMQ, which then leaves its template and admin out.
 */
@AutoConfiguration(
    beforeName = {OnRabbitCondition.BOOT_4, OnRabbitCondition.BOOT_3},
    afterName = { // in Boot 4, and in Boot 3
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnSwitch(name = "pocketwatch.enabled", unless = false, missing = true)
@Conditional(OnRabbitCondition.class)
@EnableConfigurationProperties(PocketwatchProperties.class)
@Import({ListeningWiring.class, BootRabbitTemplate.class, StreamBinding.class})
public final class PocketwatchAutoConfiguration {
  private static final String STORE = "pocketwatch.store.enabled";

  @Bean
  static ConfirmDefaults pocketwatchConfirmDefaults(
      ConfigurableListableBeanFactory beans, Environment environment) {
    Binder properties = Binder.get(environment);
    return new ConfirmDefaults(
        beans, key -> properties.bind(key, Bindable.of(String.class)).isBound());
  }

  @Bean
  static PropertiesCheck pocketwatchPropertiesCheck(Environment environment) {
    return new PropertiesCheck(environment);
  }

  @Bean
  @ConditionalOnMissingBean
  DelayRoutes pocketwatchRoutes(CheckedProperties properties) {
    return properties.routes();
  }

  /** For the queues of the routes, which may be the application's own. */
  @Bean
  @ConditionalOnMissingBean
  GuardOptions pocketwatchGuardOptions(CheckedProperties properties, DelayRoutes routes) {
    return properties.guard().toBuilder().namePrefix(routes.hold().namePrefix()).build();
  }

  @Bean
  @ConditionalOnMissingBean
  BrokerAccess pocketwatchBrokerAccess(ObjectProvider<ConnectionFactory> connectionFactory) {
    return BrokerAccess.of(BrokerAccess.chosen(connectionFactory));
  }

  /** A publisher, unless the application has built one. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(DelayedPublisher.class)
  @Import(PublisherWiring.class)
  static class PublisherConfiguration {
    /** The application's own store, which without the property is not wired, just as ours. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSwitch(name = STORE, unless = true, missing = false)
    @ConditionalOnClass(JdbcDelayStore.class)
    static class HalfStoreConfiguration {
      @Bean
      SmartInitializingSingleton pocketwatchStoreCheck(
          DelayRoutes routes, ListableBeanFactory beans) {
        return () -> {
          boolean wired =
              beans.getBeanNamesForType(TransactionJoin.class).length > 0
                  || beans.getBeanNamesForType(DeliveryGuard.class).length > 0;
          boolean half = !wired && beans.getBeanNamesForType(JdbcDelayStore.class).length > 0;
          routes
              .all()
              .filter(route -> half && route.tracked())
              .findFirst()
              .ifPresent(
                  route -> {
                    throw new IllegalStateException(
                        "Route '"
                            + route.name()
                            + "' is tracked, but nothing joins its messages to your transactions"
                            + " and nobody loads them: set pocketwatch.store.enabled to true");
                  });
        };
      }
    }

    @Bean
    SmartInitializingSingleton pocketwatchConnect(
        PocketwatchProperties properties, DelayedPublisher publisher) {
      return () -> {
        if (properties.connect() == PocketwatchProperties.Connect.AT_START) {
          publisher.connect();
        }
      };
    }
  }

  @Bean
  @Conditional(OnSingleConnectionFactory.class)
  @ConditionalOnMissingBean
  @ConditionalOnBooleanProperty(name = "spring.rabbitmq.dynamic", matchIfMissing = true)
  AmqpAdmin amqpAdmin(ConnectionFactory connectionFactory) {
    return new DelayedRabbitAdmin(connectionFactory);
  }

  /** The store, if the property asks for one in the application's data source. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnSwitch(name = STORE, unless = false, missing = false)
  @ConditionalOnClass(JdbcDelayStore.class)
  @Import(JdbcStoreWiring.class)
  static class StoreConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(JdbcDelayStore.class)
    static class TablesConfiguration {
      /** Made after whatever initializes the database. */
      @Bean(destroyMethod = "close")
      JdbcDelayStore pocketwatchStore(DataSource dataSource, PocketwatchProperties properties) {
        return JdbcStoreWiring.store(dataSource, properties.store().tablePrefix());
      }

      @Configuration(proxyBeanMethods = false)
      @ConditionalOnClass(DataSourceScriptDatabaseInitializer.class)
      static class SchemaConfiguration {
        @Bean
        StoreSchemaInitializer pocketwatchStoreSchemaInitializer(
            DataSource dataSource, PocketwatchProperties properties) {
          return new StoreSchemaInitializer(
              dataSource,
              DatabaseInitializationMode.valueOf(properties.store().initializeSchema().name()),
              StoreSchemaInitializer.PATIENCE);
        }
      }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(DeliveryGuard.class)
    @Import(JdbcGuardWiring.class)
    static class GuardConfiguration {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSwitch(name = "pocketwatch.loader.enabled", unless = false, missing = true)
    @Import(LoaderWiring.class)
    static class LoaderConfiguration {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Schedules.class)
    @Import(SchedulesWiring.class)
    static class SchedulesConfiguration {
      @Configuration(proxyBeanMethods = false)
      @ConditionalOnClass(MeterRegistry.class)
      @ConditionalOnBean(MeterRegistry.class)
      @Import(ScheduleMetricsWiring.class)
      static class ScheduleMetricsConfiguration {}
    }
  }

  /** Checks before anything is declared or stored, so that a refusal names the line. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Schedules.class)
  static class ScheduleChecks {
    @Bean
    SmartInitializingSingleton pocketwatchScheduleCheck(
        DelayRoutes routes, ListableBeanFactory beans) {
      List<Schedule> ofYaml = Schedules.read(routes);
      return () -> {
        boolean some = !ofYaml.isEmpty() || beans.getBeanNamesForType(Schedule.class).length > 0;
        if (some && beans.getBeanNamesForType(Schedules.class).length == 0) {
          throw new IllegalStateException(
              "There are schedules, but no store to keep them: set pocketwatch.store.enabled to"
                  + " true");
        }
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass("io.pocketwatch.schedule.Schedules")
  static class NoSchedulesConfiguration {
    NoSchedulesConfiguration(DelayRoutes routes) {
      if (routes.schedules() != null) {
        throw new IllegalStateException(
            "pocketwatch.schedules is set, but nothing here fires them: that takes"
                + " io.pocketwatch:pocketwatch-schedules on the class path");
      }
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnSwitch(name = STORE, unless = false, missing = false)
  @ConditionalOnMissingClass("io.pocketwatch.store.jdbc.JdbcDelayStore")
  @ConditionalOnMissingBean(DelayStore.class)
  static class NoStoreConfiguration {
    NoStoreConfiguration() {
      throw new IllegalStateException(
          "pocketwatch.store.enabled is true, but there is no store: that takes"
              + " io.pocketwatch:pocketwatch-store-jdbc on the class path, and a DataSource");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  @ConditionalOnBean(MeterRegistry.class)
  @Import(MetricsWiring.class)
  static class MetricsConfiguration {}

  /** Reads the properties before any bean is made, so that all that is wrong is told at once. */
  record PropertiesCheck(Environment environment)
      implements BeanFactoryPostProcessor, PriorityOrdered {
    @Override
    public int getOrder() {
      return LOWEST_PRECEDENCE;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
      beans.registerSingleton(
          "pocketwatchCheckedProperties", CheckedProperties.of(environment, mayHaveStore(beans)));
    }

    /** Whether the application has its own store, or a publisher or routes that may have one. */
    private static boolean mayHaveStore(ListableBeanFactory beans) {
      return !beans.containsBeanDefinition("pocketwatchRoutes")
          || !beans.containsBeanDefinition("pocketwatchPublisher")
          || BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                      beans, DelayStore.class, true, false)
                  .length
              > 0;
    }
  }
}
