// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import com.rabbitmq.client.ConnectionFactory;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** What an application with a store has, without Boot; its broker is away. */
@Configuration(proxyBeanMethods = false)
@Import({
  PublisherWiring.class,
  ListeningWiring.class,
  JdbcTablesWiring.class,
  JdbcStoreWiring.class
})
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
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static PocketwatchSettings settings() {
    return PocketwatchSettings.of(
        Map.of(
            "store",
            Map.of("enabled", true, "create-schema", true),
            "routes",
            Map.of("timeout", Map.of("exchange", "orders", "tracking", "full"))));
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
