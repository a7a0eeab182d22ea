// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Lets every template of an application join its database transactions, also those that the
 * application defines itself. Left alone are templates that were given a {@link TransactionJoin}
 * already, and those of another publisher than the store's. Declare it as a {@code static} bean.
 */
public final class JoiningTemplates implements BeanPostProcessor {
  private final Supplier<DelayedPublisher> publisher;
  private final TransactionJoin transactions;

  /**
   * @param publisher the one that {@code transactions} store for; asked when there is a template
   * @param transactions asked when something is stored: templates may be made before transaction
   *     managers are
   */
  public JoiningTemplates(
      Supplier<DelayedPublisher> publisher, Supplier<TransactionJoin> transactions) {
    this.publisher = publisher;
    this.transactions = new Late(transactions);
  }

  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    if (bean instanceof DelayedRabbitTemplate template) {
      join(template);
    } else if (bean instanceof DelayedBatchingRabbitTemplate batching) {
      join(batching.delayed());
    }
    return bean;
  }

  private void join(DelayedRabbitTemplate template) {
    if (!template.joinsTransactions() && template.publisher() == publisher.get()) {
      template.setTransactionJoin(transactions);
    }
  }

  private record Late(Supplier<TransactionJoin> join) implements TransactionJoin {
    @Override
    public boolean active() {
      return join.get().active();
    }

    @Override
    public void publish(DelayedMessage message, Consumer<@Nullable String> end) {
      join.get().publish(message, end);
    }
  }
}
