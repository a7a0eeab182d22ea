// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.spring.JoiningTemplates;
import io.pocketwatch.spring.TransactionJoin;
import io.pocketwatch.spring.declare.DelayedRabbitAdmin;
import io.pocketwatch.spring.wiring.BrokerAccess;
import io.pocketwatch.spring.wiring.ConfirmDefaults;
import io.pocketwatch.spring.wiring.JdbcGuardWiring;
import io.pocketwatch.spring.wiring.JdbcStoreWiring;
import io.pocketwatch.spring.wiring.JdbcTablesWiring;
import io.pocketwatch.spring.wiring.ListeningWiring;
import io.pocketwatch.spring.wiring.LoaderWiring;
import io.pocketwatch.spring.wiring.MetricsWiring;
import io.pocketwatch.spring.wiring.OnChosenConnectionFactory;
import io.pocketwatch.spring.wiring.PocketwatchSettings;
import io.pocketwatch.spring.wiring.PropertyMaps;
import io.pocketwatch.spring.wiring.PublisherWiring;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.amqp.core.AmqpAdmin;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitOperations;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.amqp.RabbitTemplateConfigurer;
import org.springframework.boot.autoconfigure.amqp.RabbitTemplateCustomizer;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Makes the one {@code RabbitTemplate} of an application a {@link DelayedRabbitTemplate},
 * configured and customized by Boot like its own, and wires what it needs. Goes before Boot's
 * configuration for RabbitMQ, which then leaves its template and admin out.
 */
@AutoConfiguration(
    beforeName = OnRabbit.BOOTS,
    afterName = {
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnBooleanProperty(name = "pocketwatch.enabled", matchIfMissing = true)
@Conditional(OnRabbit.class)
@Import(ListeningWiring.class)
public final class PocketwatchAutoConfiguration {
  @Bean
  static ConfirmDefaults pocketwatchConfirmDefaults(ConfigurableEnvironment environment) {
    return new ConfirmDefaults(environment);
  }

  /** Infrastructure, for what is made before all other beans needs it. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static PocketwatchSettings pocketwatchSettings(ConfigurableEnvironment environment) {
    List<PropertySource<?>> aboveEnvironment = new ArrayList<>();
    List<PropertySource<?>> belowEnvironment = new ArrayList<>();
    List<PropertySource<?>> side = aboveEnvironment;
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof SystemEnvironmentPropertySource) {
        side = belowEnvironment;
      } else {
        side.add(source);
      }
    }
    return PocketwatchSettings.of(
        PropertyMaps.of(
            bound(belowEnvironment, environment),
            environment.getSystemEnvironment(),
            bound(aboveEnvironment, environment)));
  }

  private static Map<String, Object> bound(
      List<PropertySource<?>> sources, ConfigurableEnvironment environment) {
    return new Binder(
            ConfigurationPropertySources.from(sources),
            new PropertySourcesPlaceholdersResolver(environment))
        .bind("pocketwatch", Bindable.mapOf(String.class, Object.class))
        .orElse(Map.of());
  }

  @Bean
  @ConditionalOnMissingBean
  BrokerAccess pocketwatchBrokerAccess(ObjectProvider<ConnectionFactory> connectionFactory) {
    return BrokerAccess.of(BrokerAccess.chosen(connectionFactory));
  }

  /** Not where the application has built one. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(DelayedPublisher.class)
  @Import(PublisherWiring.class)
  static class PublisherConfiguration {}

  @Bean
  @Conditional(OnChosenConnectionFactory.class)
  @ConditionalOnMissingBean(RabbitOperations.class)
  DelayedRabbitTemplate rabbitTemplate(
      DelayedPublisher publisher,
      ObjectProvider<RabbitTemplateConfigurer> configurers,
      ConnectionFactory connectionFactory,
      ObjectProvider<RabbitTemplateCustomizer> customizers) {
    DelayedRabbitTemplate template = new DelayedRabbitTemplate(publisher);
    RabbitTemplateConfigurer configurer = configurers.getIfAvailable();
    if (configurer == null) { // excluded, with all of Boot's configuration for RabbitMQ
      template.setConnectionFactory(connectionFactory);
    } else {
      configurer.configure(template, connectionFactory);
    }
    customizers.orderedStream().forEach(customizer -> customizer.customize(template));
    return template;
  }

  /** For a join of the application's own; the store's wiring has this itself. */
  @Bean
  @ConditionalOnBean(TransactionJoin.class)
  @ConditionalOnMissingBean
  static JoiningTemplates pocketwatchJoiningTemplates(
      ObjectProvider<DelayedPublisher> publisher, ObjectProvider<TransactionJoin> transactions) {
    return new JoiningTemplates(publisher::getObject, transactions::getObject);
  }

  @Bean
  @Conditional(OnChosenConnectionFactory.class)
  @ConditionalOnMissingBean
  @ConditionalOnBooleanProperty(name = "spring.rabbitmq.dynamic", matchIfMissing = true)
  AmqpAdmin amqpAdmin(ConnectionFactory connectionFactory) {
    return new DelayedRabbitAdmin(connectionFactory);
  }

  /** The store, if the application says that its data source is to hold one. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBooleanProperty("pocketwatch.store.enabled")
  @ConditionalOnClass(JdbcDelayStore.class)
  @Import(JdbcStoreWiring.class)
  static class StoreConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(JdbcDelayStore.class)
    @Import(JdbcTablesWiring.class)
    static class TablesConfiguration {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(DeliveryGuard.class)
    @Import(JdbcGuardWiring.class)
    static class GuardConfiguration {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "pocketwatch.loader.enabled", matchIfMissing = true)
    @Import(LoaderWiring.class)
    static class LoaderConfiguration {}
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  @ConditionalOnBean(MeterRegistry.class)
  @Import(MetricsWiring.class)
  static class MetricsConfiguration {}
}
