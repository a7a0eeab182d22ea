// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.ConsumerEvent.OtherConsumer;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.spring.ReplyDelayRefusal;
import io.pocketwatch.spring.TemplatePostProcessor;
import io.pocketwatch.spring.TransactionJoin;
import io.pocketwatch.spring.listener.ListenerGuardPostProcessor;
import io.pocketwatch.store.DelayStore;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Beans that go with a publisher. They make templates and listener containers clean and guard the
 * messages they receive, and check the application. They need beans of {@link DelayRoutes}, {@link
 * DelayedPublisher} and Spring's {@code ConnectionFactory}.
 */
@Configuration(proxyBeanMethods = false)
public class ListeningWiring {
  /** Static, and injects nothing: it is made before all other beans. */
  @Bean
  static ListenerGuardPostProcessor pocketwatchListenerGuards(
      ObjectProvider<DelayRoutes> routes,
      ObjectProvider<GuardOptions> options,
      ObjectProvider<DeliveryGuard> guards,
      ObjectProvider<DelayedPublisher> publisher) {
    return new ListenerGuardPostProcessor(
        () -> theOne(guards),
        publisher::getObject,
        routes::getObject,
        () -> options(options, routes.getObject()));
  }

  /** The options of the application, or the defaults for the queues of its routes. */
  static GuardOptions options(ObjectProvider<GuardOptions> options, DelayRoutes routes) {
    return options.getIfAvailable(
        () -> GuardOptions.builder().namePrefix(routes.hold().namePrefix()).build());
  }

  private static @Nullable DeliveryGuard theOne(ObjectProvider<DeliveryGuard> guards) {
    try {
      return guards.getIfAvailable();
    } catch (NoUniqueBeanDefinitionException e) {
      throw new IllegalStateException(
          "there are several delivery guards, %s, and one only stands before the listeners: mark"
                  .formatted(e.getBeanNamesFound())
              + " that one @Primary",
          e);
    }
  }

  /** Static: it is made before all templates, and asks for nothing itself. */
  @Bean
  static TemplatePostProcessor pocketwatchTemplates(
      ObjectProvider<DelayedPublisher> publisher,
      ObjectProvider<DeliveryGuard> guards,
      ObjectProvider<TransactionJoin> transactions) {
    return new TemplatePostProcessor(
        publisher::getObject, () -> theOne(guards), transactions::getIfAvailable);
  }

  @Bean
  static ReplyDelayRefusal pocketwatchReplyDelayRefusal() {
    return new ReplyDelayRefusal();
  }

  @Bean
  static LateCustomizer pocketwatchTransientTargets(
      ConfigurableListableBeanFactory beans, ObjectProvider<DelayedPublisher> publisher) {
    return new LateCustomizer(
        beans, "pocketwatchTargetCustomizer", new TransientTargets(publisher::getObject));
  }

  @Bean
  static ApplicationChecks pocketwatchChecks(ConfigurableListableBeanFactory beans) {
    return new ApplicationChecks(beans);
  }

  @Bean
  static BlockedConnections pocketwatchBlockedConnections() {
    return new BlockedConnections();
  }

  @Bean
  static PocketwatchStatus.Warnings pocketwatchStoppedConsumers(
      ObjectProvider<DeliveryGuard> guards, ListenerGuardPostProcessor listeners) {
    return () ->
        Stream.concat(
                guards.stream().flatMap(each -> each.stopped().stream()),
                listeners.stopped().stream())
            .map(OtherConsumer::description)
            .toList();
  }

  @Bean
  PocketwatchStatus pocketwatchStatus(
      DelayedPublisher publisher,
      ObjectProvider<DelayStore> store,
      BlockedConnections connections,
      ObjectProvider<PocketwatchStatus.Warnings> others) {
    return new PocketwatchStatus(
        publisher,
        store.getIfAvailable(),
        connections,
        () -> others.stream().flatMap(each -> each.warnings().stream()).toList());
  }
}
