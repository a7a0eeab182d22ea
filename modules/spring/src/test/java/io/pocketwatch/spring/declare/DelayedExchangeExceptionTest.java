// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.AMQImpl;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpIOException;

class DelayedExchangeExceptionTest {
  private static final String WORDS =
      "PRECONDITION_FAILED - inequivalent arg 'type' for exchange '%s' in vhost '/': received"
          + " 'direct' but current is %s";

  @Test
  void the_words_of_the_broker_name_the_exchange() {
    assertThat(
            DelayedExchangeException.leftOver(
                closed(WORDS.formatted("orders", "''x-delayed-message''"))))
        .hasValueSatisfying(
            found ->
                assertThat(found)
                    .hasMessageContainingAll("'orders'", "x-delayed-message")
                    .hasMessageContaining("./pocketwatch migrate-exchange orders --broker"));
  }

  @Test
  void a_name_with_quotes_is_read_whole_and_quoted_for_the_shell() {
    assertThat(
            DelayedExchangeException.leftOver(
                closed(WORDS.formatted("bob's orders", "'x-delayed-message'"))))
        .hasValueSatisfying(
            found -> {
              assertThat(found.exchange()).isEqualTo("bob's orders");
              assertThat(found)
                  .hasMessageContaining("migrate-exchange 'bob'\\''s orders' --broker");
            });
  }

  @Test
  void another_type_is_no_left_over() {
    assertThat(DelayedExchangeException.leftOver(closed(WORDS.formatted("orders", "'topic'"))))
        .isEmpty();
    assertThat(DelayedExchangeException.leftOver(new IOException("x-delayed-message"))).isEmpty();
  }

  private static Exception closed(String text) {
    ShutdownSignalException signal =
        new ShutdownSignalException(
            false, false, new AMQImpl.Channel.Close(406, text, 40, 10), "channel");
    return new AmqpIOException(new IOException(signal));
  }
}
