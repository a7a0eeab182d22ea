// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** What an application with a store has, without Boot; its broker is away. */
@Configuration(proxyBeanMethods = false)
@Import({PublisherWiring.class, ListeningWiring.class, JdbcStoreWiring.class})
class StoreContext {
  static AnnotationConfigApplicationContext with(Class<?>... more) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.register(StoreContext.class);
    context.register(more);
    try {
      context.refresh();
    } catch (RuntimeException e) {
      context.close();
      throw e;
    }
    return context;
  }

  @Bean
  DelayRoutes routes() {
    return DelayRoutes.of(
        Map.of("routes", Map.of("timeout", Map.of("exchange", "orders", "tracking", "full"))),
        "test");
  }

  @Bean
  JdbcDelayStore store(DataSource dataSource) {
    JdbcSchema.create(dataSource);
    return JdbcStoreWiring.store(dataSource, "pocketwatch_");
  }

  @Bean
  DataSource dataSource() {
    return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
  }

  @Bean
  JdbcTransactionManager transactions(DataSource dataSource) {
    return new JdbcTransactionManager(dataSource);
  }

  @Bean
  CachingConnectionFactory connections() {
    ConnectionFactory away = new ConnectionFactory();
    away.setPort(1);
    return new CachingConnectionFactory(away);
  }
}
