// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.spring.Delayed;
import io.pocketwatch.spring.TransactionJoin;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with a store and a transaction join of its own; its broker is away. */
class OwnJoinIT {
  @Test
  void the_template_joins_the_transactions_that_the_application_knows() {
    new ApplicationContextRunner()
        .withUserConfiguration(Own.class)
        .withPropertyValues(
            "spring.rabbitmq.addresses=localhost:1",
            "spring.datasource.generate-unique-name=true",
            "pocketwatch.routes.timeout.exchange=store-orders",
            "pocketwatch.routes.timeout.tracking=full")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              context
                  .getBean(RabbitTemplate.class)
                  .convertAndSend(
                      "store-orders", "timeout", "x", Delayed.delay(Duration.ofDays(2)).id("17"));
              assertThat(context.getBean(Joined.class).stored).containsExactly("17");
            });
  }

  /** A rollback would not take back what it stores, and nobody would load it. */
  @Test
  void a_store_without_the_property_and_without_a_join_is_refused() {
    new ApplicationContextRunner()
        .withUserConfiguration(OwnStore.class)
        .withPropertyValues(
            "spring.rabbitmq.addresses=localhost:1",
            "spring.datasource.generate-unique-name=true",
            "pocketwatch.routes.timeout.exchange=store-orders",
            "pocketwatch.routes.timeout.tracking=full")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasMessageContainingAll("'timeout'", "pocketwatch.store.enabled"));
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnStore {
    @Bean
    JdbcDelayStore store(DataSource dataSource) {
      JdbcSchema.create(dataSource);
      return JdbcDelayStore.builder(dataSource).build();
    }
  }

  static class Own extends OwnStore {
    @Bean
    Joined join() {
      return new Joined();
    }
  }

  static final class Joined implements TransactionJoin {
    final List<String> stored = new ArrayList<>();

    @Override
    public boolean active() {
      return true;
    }

    @Override
    public void publish(DelayedMessage message, Consumer<@Nullable String> end) {
      stored.add(message.id());
    }
  }
}
