// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateAcknowledgeAmqpException;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.amqp.listener.ConditionalRejectingErrorHandler;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.interceptor.NoRollbackRuleAttribute;
import org.springframework.transaction.interceptor.RuleBasedTransactionAttribute;

/** What is not certain to come again must not be left to the broker. */
class RequeueingTest {
  private final SimpleMessageListenerContainer container = new SimpleMessageListenerContainer();
  private final IllegalStateException failure = new IllegalStateException("not today");

  private boolean certain(Throwable cause) {
    return Requeueing.certain(container, new AmqpException("as containers get it", cause));
  }

  @Test
  void by_default_what_fails_comes_again() {
    assertThat(certain(failure)).isTrue();
  }

  @Test
  void what_the_listener_asks_for_counts() {
    assertThat(certain(new AmqpRejectAndDontRequeueException("no"))).isFalse();
    assertThat(certain(new ImmediateAcknowledgeAmqpException("done"))).isFalse();
    container.setDefaultRequeueRejected(false);
    assertThat(certain(failure)).isFalse();
    assertThat(certain(new ImmediateRequeueAmqpException("later"))).isTrue();
  }

  @Test
  void what_the_usual_error_handler_takes_for_hopeless_does_not() {
    assertThat(certain(new MessageConversionException("no JSON"))).isFalse();
    assertThat(certain(new ClassCastException("no order"))).isFalse();
    assertThat(
            certain(new org.springframework.messaging.converter.MessageConversionException("no")))
        .isFalse();
  }

  @Test
  void another_error_handler_may_do_anything() {
    container.setErrorHandler(new ConditionalRejectingErrorHandler());
    assertThat(certain(failure)).isTrue();
    container.setErrorHandler(new ConditionalRejectingErrorHandler(thrown -> true));
    assertThat(certain(failure)).isFalse();
    container.setErrorHandler(thrown -> {});
    assertThat(certain(failure)).isFalse();
  }

  @Test
  void a_transaction_that_commits_all_the_same_acknowledges() {
    RuleBasedTransactionAttribute rules = new RuleBasedTransactionAttribute();
    rules.getRollbackRules().add(new NoRollbackRuleAttribute(Exception.class));
    container.setTransactionAttribute(rules);
    assertThat(certain(failure)).as("without a transaction").isTrue();
    container.setTransactionManager(new JdbcTransactionManager());
    assertThat(certain(failure)).isFalse();
  }
}
