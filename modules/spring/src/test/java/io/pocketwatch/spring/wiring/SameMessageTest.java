// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.spring.Delayed;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.spring.DelayedSendException;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.StoredMessage;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is the same message, sent once more under its id. */
class SameMessageTest {
  private final AnnotationConfigApplicationContext context = StoreContext.with(Template.class);
  private final Instant deliverAt = Instant.now().plus(2, ChronoUnit.DAYS);

  @AfterEach
  void close() {
    context.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"traceparent", "tracestate", "baggage", "b3", "X-B3-TraceId"})
  void what_tracing_adds_makes_it_no_other(String header) {
    send(Map.of(header, "one"));
    send(Map.of(header, "two"));
    send(Map.of());
    assertThat(rows()).hasSize(1);
  }

  @Test
  void what_the_application_adds_does() {
    send(Map.of("customer", "one"));
    assertThatThrownBy(() -> send(Map.of("customer", "two")))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("17");
    assertThat(rows()).hasSize(1);
  }

  private void send(Map<String, Object> headers) {
    context
        .getBean(DelayedRabbitTemplate.class)
        .convertAndSend(
            "orders",
            "timeout",
            "x",
            message -> {
              message.getMessageProperties().getHeaders().putAll(headers);
              return Delayed.deliverAt(deliverAt).id("17").postProcessMessage(message);
            });
  }

  private List<StoredMessage> rows() {
    return context.getBean(SchedulingStore.class).list(MessageQuery.all());
  }

  @Configuration(proxyBeanMethods = false)
  static class Template {
    @Bean
    DelayedRabbitTemplate template(ConnectionFactory connections, DelayedPublisher publisher) {
      return new DelayedRabbitTemplate(connections, publisher);
    }
  }
}
