// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateAcknowledgeAmqpException;
import org.springframework.amqp.ImmediateRequeueAmqpException;

class CausesTest {
  @Test
  void the_outermost_wish_counts() {
    Throwable both =
        new AmqpException(
            "wrapped",
            new ImmediateRequeueAmqpException(
                "requeue", new AmqpRejectAndDontRequeueException("reject")));

    assertThat(Causes.asksForRequeue(both)).isTrue();
    assertThat(Causes.asksForManualRejection(both)).isFalse();
    assertThat(Causes.asksForAcknowledgement(new ImmediateAcknowledgeAmqpException("ack")))
        .isTrue();
  }

  @Test
  void a_plain_failure_asks_for_nothing() {
    Throwable plain = new IllegalStateException(new RuntimeException("cause"));

    assertThat(Causes.asksForRequeue(plain)).isFalse();
    assertThat(Causes.asksForManualRejection(plain)).isFalse();
    assertThat(Causes.asksForAcknowledgement(plain)).isFalse();
  }

  @Test
  void what_went_wrong_is_beneath_springs_words() {
    Throwable thrown = new IllegalStateException("real", new RuntimeException("deeper"));

    assertThat(Causes.listeners(new AmqpException("outer", new AmqpException(thrown))))
        .isSameAs(thrown);
    assertThat(Causes.listeners(new AmqpException("alone"))).hasMessage("alone");
  }

  @Test
  void only_some_rejections_are_of_listeners_that_acknowledge() {
    assertThat(Causes.asksForManualRejection(new AmqpRejectAndDontRequeueException("no")))
        .isFalse();
    assertThat(
            Causes.asksForManualRejection(
                new IllegalStateException(new AmqpRejectAndDontRequeueException("no", true, null))))
        .isTrue();
  }
}
