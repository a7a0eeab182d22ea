// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.spring.internal.SpringInternals;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.batch.BatchingStrategy;
import org.springframework.amqp.rabbit.core.BatchingRabbitTemplate;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.scheduling.TaskScheduler;

/**
 * Lets every {@link DelayedRabbitTemplate} of an application, its own beans included, join database
 * transactions. It also makes them refuse tracked messages that they receive by themselves.
 * Templates of another publisher are left alone, and a {@link TransactionJoin} that was set before
 * is kept. Declare it as a {@code static} bean.
 */
public final class TemplatePostProcessor implements BeanPostProcessor {
  private final Supplier<DelayedPublisher> publisher;
  private final Supplier<@Nullable DeliveryGuard> guard;
  private final TransactionJoin transactions;

  /**
   * @param publisher the templates' publisher; asked for when there is a template
   * @param guard asked for when a template receives; null without a store: then nothing is refused
   * @param transactions asked when something is stored, as templates may be made before transaction
   *     managers are; null where nothing is joined
   */
  public TemplatePostProcessor(
      Supplier<DelayedPublisher> publisher,
      Supplier<@Nullable DeliveryGuard> guard,
      Supplier<@Nullable TransactionJoin> transactions) {
    this.publisher = publisher;
    this.guard = guard;
    this.transactions = new LateJoin(transactions);
  }

  /**
   * Makes a template that delays, with the settings of one that a framework has made. A batching
   * template goes on batching messages that ask for no delay. Do not use the given one any more.
   *
   * @throws IllegalStateException if it is neither a plain nor a batching template
   */
  public RabbitTemplate inPlaceOf(RabbitTemplate template) {
    if (template.getClass() == RabbitTemplate.class) {
      return delaying(template);
    }
    if (template instanceof BatchingRabbitTemplate batching
        && SpringInternals.BATCHING_STRATEGY.of(batching) instanceof BatchingStrategy strategy
        && SpringInternals.BATCHING_SCHEDULER.of(batching) instanceof TaskScheduler scheduler) {
      DelayedRabbitTemplate delaying = delaying(template);
      RabbitTemplate both =
          new DelayedBatchingRabbitTemplate(delaying, strategy, scheduler) {
            @Override
            public void setConfirmCallback(ConfirmCallback callback) {
              super.setConfirmCallback(callback);
              delaying.setConfirmCallback(callback);
            }

            @Override
            public void setReturnsCallback(ReturnsCallback callback) {
              super.setReturnsCallback(callback);
              delaying.setReturnsCallback(callback);
            }
          };
      SpringInternals.copySettings(template, both, (name, setting) -> false);
      return both;
    }
    throw new IllegalStateException(
        "there is no template that delays in place of a " + template.getClass().getName());
  }

  private DelayedRabbitTemplate delaying(RabbitTemplate template) {
    DelayedRabbitTemplate delaying = new DelayedRabbitTemplate(publisher.get());
    SpringInternals.copySettings(template, delaying, delaying::takes);
    postProcessBeforeInitialization(delaying, "");
    return delaying;
  }

  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    if (bean instanceof DelayedRabbitTemplate template && isOurs(template)) {
      template.setGuard(guard);
      join(template);
    } else if (bean instanceof DelayedBatchingRabbitTemplate batching
        && isOurs(batching.delayed())) {
      join(batching.delayed());
    }
    return bean;
  }

  private boolean isOurs(DelayedRabbitTemplate template) {
    return template.publisher() == publisher.get();
  }

  private void join(DelayedRabbitTemplate template) {
    if (!template.joinsTransactions()) {
      template.setTransactionJoin(transactions);
    }
  }

  private record LateJoin(Supplier<@Nullable TransactionJoin> join) implements TransactionJoin {
    @Override
    public boolean active() {
      TransactionJoin known = join.get();
      return known != null && known.active();
    }

    @Override
    public void publish(DelayedMessage message, Consumer<@Nullable String> end) {
      TransactionJoin known = join.get();
      if (known != null) { // as it was active
        known.publish(message, end);
      }
    }
  }
}
