// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.spring.Delayed;
import io.pocketwatch.spring.DelayedBatchingRabbitTemplate;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.spring.TemplatePostProcessor;
import io.pocketwatch.spring.TransactionJoin;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.amqp.rabbit.batch.SimpleBatchingStrategy;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.BatchingRabbitTemplate;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Templates of the application itself are a part of its transactions, as the starter's is. */
class TemplatePostProcessorTest {
  static Stream<Class<?>> dataSources() {
    return Stream.of(Plain.class, Aware.class);
  }

  @ParameterizedTest
  @MethodSource("dataSources")
  void what_any_template_sends_is_rolled_back_with_the_transaction(Class<?> dataSource) {
    try (AnnotationConfigApplicationContext context =
        StoreContext.with(Templates.class, dataSource)) {
      Map<String, RabbitTemplate> templates = context.getBeansOfType(RabbitTemplate.class);
      TransactionTemplate transaction =
          new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
      SchedulingStore messages = context.getBean(SchedulingStore.class);
      assertThat(templates).containsOnlyKeys("one", "other", "batching");
      templates.forEach(
          (name, template) -> {
            transaction.executeWithoutResult(status -> send(template, name + "-kept"));
            transaction.executeWithoutResult(
                status -> {
                  send(template, name + "-undone");
                  status.setRollbackOnly();
                });
            assertThat(messages.find(key(name + "-kept")))
                .hasValueSatisfying(row -> assertThat(row.state()).isEqualTo(MessageState.PENDING));
            assertThat(messages.find(key(name + "-undone"))).isEmpty();
          });
    }
  }

  @Test
  void a_join_that_the_application_gave_stays() {
    try (AnnotationConfigApplicationContext context = StoreContext.with(Joined.class)) {
      send(context.getBean(RabbitTemplate.class), "18");
      assertThat(context.getBean(Joined.class).stored).isEqualTo("18");
    }
  }

  @Test
  void one_in_place_of_a_frameworks_has_its_settings_and_joins_transactions() {
    try (AnnotationConfigApplicationContext context = StoreContext.with(Templates.class)) {
      TransactionTemplate transaction =
          new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
      SchedulingStore messages = context.getBean(SchedulingStore.class);
      for (RabbitTemplate theirs :
          List.of(
              new RabbitTemplate(),
              new BatchingRabbitTemplate(
                  new SimpleBatchingStrategy(2, 10_000, 30_000), new ThreadPoolTaskScheduler()))) {
        String kind = theirs.getClass().getSimpleName();
        List<String> processed = new ArrayList<>();
        theirs.setConnectionFactory(context.getBean(ConnectionFactory.class));
        theirs.setRoutingKey("theirs");
        theirs.setChannelTransacted(true);
        theirs.setBeforePublishPostProcessors(
            message -> {
              processed.add(new String(message.getBody(), StandardCharsets.UTF_8));
              return message;
            });

        RabbitTemplate ours = context.getBean(TemplatePostProcessor.class).inPlaceOf(theirs);

        assertThat(ours.getRoutingKey()).isEqualTo("theirs");
        assertThat(ours.isChannelTransacted()).isTrue();
        transaction.executeWithoutResult(status -> send(ours, kind + "-kept"));
        transaction.executeWithoutResult(
            status -> {
              send(ours, kind + "-undone");
              status.setRollbackOnly();
            });
        assertThat(processed).containsExactly("x", "x");
        assertThat(messages.find(key(kind + "-kept"))).isPresent();
        assertThat(messages.find(key(kind + "-undone"))).isEmpty();
      }
    }
  }

  @Test
  void there_is_none_in_place_of_a_kind_that_is_not_known() {
    try (AnnotationConfigApplicationContext context = StoreContext.with(Templates.class)) {
      TemplatePostProcessor templates = context.getBean(TemplatePostProcessor.class);
      assertThatThrownBy(() -> templates.inPlaceOf(new RabbitTemplate() {}))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(getClass().getName());
    }
  }

  private static void send(RabbitTemplate template, String id) {
    template.convertAndSend("orders", "timeout", "x", Delayed.delay(Duration.ofHours(30)).id(id));
  }

  private static MessageKey key(String id) {
    return new MessageKey("timeout", id);
  }

  @Configuration(proxyBeanMethods = false)
  static class Templates {
    @Bean
    DelayedRabbitTemplate one(ConnectionFactory connections, DelayedPublisher publisher) {
      return new DelayedRabbitTemplate(connections, publisher);
    }

    @Bean
    DelayedRabbitTemplate other(ConnectionFactory connections, DelayedPublisher publisher) {
      return new DelayedRabbitTemplate(connections, publisher);
    }

    /** The template behind it is no bean. */
    @Bean
    DelayedBatchingRabbitTemplate batching(
        ConnectionFactory connections, DelayedPublisher publisher) {
      return new DelayedBatchingRabbitTemplate(
          new DelayedRabbitTemplate(connections, publisher),
          new SimpleBatchingStrategy(2, 10_000, 30_000),
          new ThreadPoolTaskScheduler());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Plain {}

  /** The application's data source is a proxy of what its transactions are on. */
  @Configuration(proxyBeanMethods = false)
  static class Aware {
    @Bean
    @Primary
    TransactionAwareDataSourceProxy aware(@Qualifier("dataSource") DataSource target) {
      return new TransactionAwareDataSourceProxy(target);
    }
  }

  @Configuration
  static class Joined implements TransactionJoin {
    @Nullable String stored;

    @Bean
    DelayedRabbitTemplate template(ConnectionFactory connections, DelayedPublisher publisher) {
      DelayedRabbitTemplate template = new DelayedRabbitTemplate(connections, publisher);
      template.setTransactionJoin(this);
      return template;
    }

    @Override
    public boolean active() {
      return true;
    }

    @Override
    public void publish(DelayedMessage message, Consumer<@Nullable String> end) {
      stored = message.id();
    }
  }
}
