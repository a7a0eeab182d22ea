// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.spring.DelayedBatchingRabbitTemplate;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.env.ConfigurableEnvironment;

/** Looks at an application whose beans are made, before any of them connects. */
public final class ApplicationChecks implements SmartInitializingSingleton {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationChecks.class);

  private final ListableBeanFactory beans;
  private final ConfigurableEnvironment environment;

  ApplicationChecks(ListableBeanFactory beans, ConfigurableEnvironment environment) {
    this.beans = beans;
    this.environment = environment;
  }

  @Override
  public void afterSingletonsInstantiated() {
    Map<String, RabbitTemplate> templates =
        beans.getBeansOfType(RabbitTemplate.class, false, false);
    templates.forEach(ApplicationChecks::warnOfUndelaying);
    if (transacts(templates) && ConfirmDefaults.haveTurnedOnConfirms(environment)) {
      beans
          .getBeansOfType(CachingConnectionFactory.class, false, false)
          .values()
          .forEach(each -> each.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.NONE));
      LOG.warn(
          "Channels of this application are transacted, which excludes confirms; they stay off."
              + " Set {} to say so yourself",
          ConfirmDefaults.CONFIRM_TYPE);
    }
  }

  private static void warnOfUndelaying(String name, RabbitTemplate template) {
    if (!(template instanceof DelayedRabbitTemplate)
        && !(template instanceof DelayedBatchingRabbitTemplate)) {
      LOG.warn(
          "The template '{}' is not a DelayedRabbitTemplate: it sends at once what asks for a"
              + " delay. Make it one, or inject another",
          name);
    }
  }

  private boolean transacts(Map<String, RabbitTemplate> templates) {
    return templates.values().stream().anyMatch(RabbitTemplate::isChannelTransacted)
        || beans
            .getBeansOfType(AbstractMessageListenerContainer.class, false, false)
            .values()
            .stream()
            .anyMatch(AbstractMessageListenerContainer::isChannelTransacted)
        || beans
            .getBeansOfType(AbstractRabbitListenerContainerFactory.class, false, false)
            .values()
            .stream()
            .anyMatch(ApplicationChecks::transacted);
  }

  /** The factory tells nobody. */
  private static boolean transacted(AbstractRabbitListenerContainerFactory<?> factory) {
    DirectFieldAccessor fields = new DirectFieldAccessor(factory);
    return fields.isReadableProperty("channelTransacted")
        && Boolean.TRUE.equals(fields.getPropertyValue("channelTransacted"));
  }
}
