// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateAcknowledgeAmqpException;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.messaging.MessagingException;

class ExceptionChainTest {
  @Test
  void the_outermost_wish_counts() {
    Throwable both =
        new AmqpException(
            "wrapped",
            new ImmediateRequeueAmqpException(
                "requeue", new AmqpRejectAndDontRequeueException("reject")));

    assertThat(ExceptionChain.asksForRequeue(both)).isTrue();
    assertThat(ExceptionChain.asksForAcknowledgement(new ImmediateAcknowledgeAmqpException("ack")))
        .isTrue();
  }

  @Test
  void a_plain_failure_asks_for_nothing() {
    Throwable plain = new IllegalStateException(new RuntimeException("cause"));

    assertThat(ExceptionChain.asksForRequeue(plain)).isFalse();
    assertThat(ExceptionChain.asksForAcknowledgement(plain)).isFalse();
  }

  @Test
  void what_went_wrong_is_beneath_springs_words() {
    Throwable thrown = new IllegalStateException("real", new RuntimeException("deeper"));

    assertThat(ExceptionChain.listeners(new AmqpException("outer", new AmqpException(thrown))))
        .isSameAs(thrown);
    assertThat(ExceptionChain.listeners(new AmqpException("alone"))).hasMessage("alone");
    Throwable ofBinder =
        new MessagingException(
            "in channel rabbit-14.errors", new MessagingException("$1@6a", thrown));
    assertThat(ExceptionChain.listeners(ofBinder)).isSameAs(thrown);
  }
}
