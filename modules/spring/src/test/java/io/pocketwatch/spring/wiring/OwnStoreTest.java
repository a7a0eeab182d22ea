// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.spring.Delayed;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.spring.DelayedSendException;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A store of the application's own, on its second data source; the broker is away. */
class OwnStoreTest {
  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext(TwoDatabases.class);

  @AfterEach
  void close() {
    context.close();
  }

  @Test
  void a_message_joins_the_transaction_of_the_stores_own_data_source() {
    in("delaysTransactions").executeWithoutResult(status -> send("kept"));
    in("delaysTransactions")
        .executeWithoutResult(
            status -> {
              send("undone");
              status.setRollbackOnly();
            });
    JdbcDelayStore store = context.getBean(JdbcDelayStore.class);
    assertThat(store.find(new MessageKey("timeout", "kept"))).isPresent();
    assertThat(store.find(new MessageKey("timeout", "undone"))).isEmpty();
  }

  @Test
  void in_a_transaction_of_the_other_one_it_is_refused() {
    assertThatThrownBy(
            () -> in("ordersTransactions").executeWithoutResult(status -> send("neither")))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("is not on the store's data source");
  }

  private TransactionTemplate in(String manager) {
    return new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
  }

  private void send(String id) {
    context
        .getBean(DelayedRabbitTemplate.class)
        .convertAndSend("orders", "timeout", "x", Delayed.delay(Duration.ofDays(2)).id(id));
  }

  @Configuration(proxyBeanMethods = false)
  @Import({PocketwatchWiring.class, JdbcStoreWiring.class})
  static class TwoDatabases {
    @Bean
    DelayRoutes routes() {
      return DelayRoutes.of(
          Map.of("routes", Map.of("timeout", Map.of("exchange", "orders", "tracking", "full"))),
          "test");
    }

    @Bean
    @Primary
    DataSource orders() {
      return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    @Bean
    DataSource delays() {
      return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    @Bean
    JdbcTransactionManager ordersTransactions(@Qualifier("orders") DataSource orders) {
      return new JdbcTransactionManager(orders);
    }

    @Bean
    JdbcTransactionManager delaysTransactions(@Qualifier("delays") DataSource delays) {
      return new JdbcTransactionManager(delays);
    }

    @Bean
    JdbcDelayStore store(@Qualifier("delays") DataSource delays) {
      JdbcSchema.create(delays);
      return JdbcDelayStore.builder(delays).build();
    }

    @Bean
    CachingConnectionFactory connections() {
      ConnectionFactory away = new ConnectionFactory();
      away.setPort(1);
      return new CachingConnectionFactory(away);
    }

    @Bean
    DelayedRabbitTemplate template(CachingConnectionFactory connections, DelayedPublisher delays) {
      return new DelayedRabbitTemplate(connections, delays);
    }
  }
}
