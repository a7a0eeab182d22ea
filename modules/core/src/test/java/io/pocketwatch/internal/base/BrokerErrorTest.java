// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class BrokerErrorTest {
  private static final AMQP.Channel.Close CHANNEL =
      new AMQP.Channel.Close.Builder()
          .replyCode(404)
          .replyText("NOT_FOUND - no exchange 'orders'")
          .build();
  private static final AMQP.Connection.Close CONNECTION =
      new AMQP.Connection.Close.Builder()
          .replyCode(320)
          .replyText("CONNECTION_FORCED - shutdown")
          .build();

  @Test
  void a_closed_channel_is_a_refusal() {
    IOException error = new IOException(signal(CHANNEL));

    assertThat(BrokerError.code(error)).isEqualTo(BrokerError.NOT_FOUND);
    assertThat(ErrorWords.of(error)).isEqualTo("NOT_FOUND - no exchange 'orders'");
    assertThat(BrokerError.refused(error)).isTrue();
  }

  @Test
  void a_closed_connection_is_not() {
    RuntimeException error = new IllegalStateException(new IOException(signal(CONNECTION)));

    assertThat(BrokerError.code(error)).isEqualTo(320);
    assertThat(ErrorWords.of(error)).isEqualTo("CONNECTION_FORCED - shutdown");
    assertThat(BrokerError.refused(error)).isFalse();
  }

  @Test
  void without_an_answer_there_is_no_code() {
    IOException error = new IOException("connection reset");

    assertThat(BrokerError.code(error)).isZero();
    assertThat(ErrorWords.of(error)).isEqualTo("connection reset");
    assertThat(BrokerError.refused(error)).isFalse();
    assertThat(BrokerError.code(signal(null))).isZero();
    assertThat(ErrorWords.of(signal(null))).isNotBlank();
  }

  @Test
  void a_missing_exchange_is_told_by_its_name() {
    IOException error =
        new IOException(
            signal(
                new AMQP.Channel.Close.Builder()
                    .replyCode(404)
                    .replyText("NOT_FOUND - no exchange 'orders' in vhost '/'")
                    .build()));

    assertThat(BrokerError.hasNoExchange(error, "orders")).isTrue();
    assertThat(BrokerError.hasNoExchange(error, "order")).isFalse();
    assertThat(BrokerError.hasNoExchange(error, "rders")).isFalse();
    assertThat(BrokerError.hasNoExchange(new IOException(signal(CONNECTION)), "orders")).isFalse();
  }

  /** As RabbitMQ 3.10 to 4.3 and hosted brokers write them. */
  @Test
  void a_limit_is_told_from_other_arguments() {
    String queue = "PRECONDITION_FAILED - cannot declare queue 'q': queue limit in ";

    assertThat(BrokerError.limitReached(queue + "vhost 'a: b' (100) is reached")).isTrue();
    assertThat(BrokerError.limitReached(queue + "cluster (10,000) is reached")).isTrue();
    assertThat(
            BrokerError.limitReached(
                "PRECONDITION_FAILED - cannot declare exchange 'e' in vhost '/': exchange limit of"
                    + " 10 is reached"))
        .isTrue();
    assertThat(
            BrokerError.limitReached(
                "PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'queue limit is"
                    + " reached' in vhost '/': received '5' but current is '6'"))
        .isFalse();
  }

  private static ShutdownSignalException signal(Method reason) {
    return new ShutdownSignalException(false, false, reason, null);
  }
}
