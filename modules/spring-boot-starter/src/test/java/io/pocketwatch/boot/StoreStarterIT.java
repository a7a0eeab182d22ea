// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.guard.ConsumerEvent;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.invoices.Invoice;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.spring.Delayed;
import io.pocketwatch.spring.wiring.LoaderLifecycle;
import io.pocketwatch.spring.wiring.PocketwatchStatus;
import io.pocketwatch.spring.wiring.SchedulesLifecycle;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.tracking.TrackedPublisher;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.Exchange;
import org.springframework.amqp.rabbit.annotation.Queue;
import org.springframework.amqp.rabbit.annotation.QueueBinding;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with JPA whose data source holds the store. */
@Tag("wide")
class StoreStarterIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  /** Its name in both lines. */
  static final List<String> HIBERNATE =
      List.of(
          "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
          "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration");

  private ConfigurableApplicationContext context;
  private Shop shop;
  private RabbitTemplate template;
  private TransactionTemplate transaction;
  private EntityManager entities;
  private TrackedPublisher publisher;

  @BeforeEach
  void start() {
    context =
        Application.start(
            BROKER.connectionFactory(),
            Shop.class,
            "spring.datasource.generate-unique-name=true",
            "spring.jpa.hibernate.ddl-auto=create-drop",
            "pocketwatch.store.enabled=true",
            "pocketwatch.routes.timeout.exchange=store-orders",
            "pocketwatch.routes.timeout.tracking=full",
            "pocketwatch.loader.sweep=500ms");
    shop = context.getBean(Shop.class);
    template = context.getBean(RabbitTemplate.class);
    transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    entities = context.getBean(EntityManager.class);
    publisher = TrackedPublisher.of(context.getBean(DelayedPublisher.class));
  }

  @AfterEach
  void stop() {
    context.close();
  }

  @Test
  void the_message_is_a_part_of_the_jpa_transaction() throws Exception {
    transaction.executeWithoutResult(
        status -> {
          entities.persist(new Purchase("17"));
          send("17", Duration.ofMillis(200));
        });
    transaction.executeWithoutResult(
        status -> {
          entities.persist(new Purchase("18"));
          send("18", Duration.ofMillis(100));
          status.setRollbackOnly();
        });
    assertThat(shop.handled.poll(5, TimeUnit.SECONDS)).isEqualTo("17");
    Awaitility.await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> state("17") == MessageState.SETTLED);
    assertThat(publisher.store().find(key("18"))).isEmpty();
    assertThat(shop.handled).isEmpty();
  }

  @Test
  void an_error_in_the_business_code_takes_the_message_back() {
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      send("19", Duration.ofMillis(100));
                      throw new IllegalStateException("no stock");
                    }))
        .hasMessage("no stock");
    assertThat(publisher.store().find(key("19"))).isEmpty();
  }

  /** As a pool closes each when it is half an hour old. */
  @Test
  void messages_are_stored_when_the_connection_that_made_the_tables_is_closed() throws Exception {
    HikariDataSource pool = context.getBean(DataSource.class).unwrap(HikariDataSource.class);
    pool.getHikariPoolMXBean().softEvictConnections();
    send("25", Duration.ofHours(30));
    assertThat(state("25")).isEqualTo(MessageState.PENDING);
  }

  /** Made while the entity manager factory is, which transactions need. */
  @Test
  void an_entity_listener_may_have_the_template_and_its_messages_are_a_part_of_the_transaction() {
    try (ConfigurableApplicationContext other =
        Application.start(
            BROKER.connectionFactory(),
            Invoicing.class,
            "spring.datasource.generate-unique-name=true",
            "spring.jpa.hibernate.ddl-auto=create-drop",
            "pocketwatch.store.enabled=true",
            "pocketwatch.routes.timeout.exchange=store-orders",
            "pocketwatch.routes.timeout.tracking=full")) {
      EntityManager invoices = other.getBean(EntityManager.class);
      TransactionTemplate invoicing =
          new TransactionTemplate(other.getBean(PlatformTransactionManager.class));
      invoicing.executeWithoutResult(status -> invoices.persist(new Invoice("23")));
      invoicing.executeWithoutResult(
          status -> {
            invoices.persist(new Invoice("24"));
            invoices.flush();
            status.setRollbackOnly();
          });
      SchedulingStore rows = other.getBean(SchedulingStore.class);
      assertThat(rows.find(key("23"))).isPresent();
      assertThat(rows.find(key("24"))).isEmpty();
    }
  }

  /** With the entities of another package, which no other application here sees. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @AutoConfigurationPackage(basePackageClasses = Invoice.class)
  static class Invoicing {}

  @Test
  void the_store_waits_for_the_scripts_that_make_its_tables() {
    try (ConfigurableApplicationContext other =
        Application.start(
            BROKER.connectionFactory(),
            Bare.class,
            "spring.datasource.generate-unique-name=true",
            "spring.sql.init.schema-locations=classpath:io/pocketwatch/store/jdbc/h2/V*.sql",
            "pocketwatch.store.initialize-schema=never",
            // Hibernate is made before all else, and waits for scripts.
            "spring.autoconfigure.exclude=" + String.join(",", HIBERNATE),
            "spring.data.jpa.repositories.enabled=false",
            "pocketwatch.store.enabled=true",
            "pocketwatch.routes.timeout.exchange=store-orders",
            "pocketwatch.routes.timeout.tracking=full")) {
      assertThat(other.getBean(SchedulingStore.class).find(key("22"))).isEmpty();
    }
  }

  @Test
  void tables_are_made_once_and_only_where_they_may_be() {
    String url = "spring.datasource.url=jdbc:h2:mem:schema;DB_CLOSE_DELAY=-1";
    assertThatThrownBy(() -> stored(url, "pocketwatch.store.initialize-schema=never"))
        .hasStackTraceContaining("the database has no Pocketwatch tables");
    stored(url).close();
    stored(url, "pocketwatch.store.initialize-schema=always").close(); // they are there
    stored(url, "pocketwatch.store.initializeSchema=never").close();
  }

  private static ConfigurableApplicationContext stored(String... properties) {
    List<String> all = new ArrayList<>(List.of(properties));
    all.add("pocketwatch.store.enabled=true");
    return Application.start(BROKER.connectionFactory(), Bare.class, all.toArray(String[]::new));
  }

  @Test
  void what_is_cancelled_is_not_handled() throws Exception {
    send("20", Duration.ofMillis(700));
    send("21", Duration.ofMillis(900));
    assertThat(publisher.store().cancel(key("20")).name()).isEqualTo("DONE");
    assertThat(shop.handled.poll(5, TimeUnit.SECONDS)).isEqualTo("21");
  }

  @Test
  void the_loader_runs_and_the_status_tells_of_it() {
    assertThat(context.getBean(LoaderLifecycle.class).isRunning()).isTrue();
    send("22", Duration.ofHours(30));
    PocketwatchStatus status = context.getBean(PocketwatchStatus.class);
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> context.getBean(JdbcDelayStore.class).heartbeats().size() == 1);
    assertThat(status.problems()).isEmpty();
    Gauge pending =
        context
            .getBean(MeterRegistry.class)
            .get("pocketwatch.pending")
            .tag("route", "timeout")
            .gauge();
    Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> pending.value() == 1);
    ActuatorHealth.assertUp(context);
    context.getBean(LoaderLifecycle.class).stop();
    assertThat(context.getBean(LoaderLifecycle.class).isRunning()).isFalse();
  }

  @Test
  void schedules_of_properties_and_of_beans_fire() {
    try (ConfigurableApplicationContext other =
        Application.start(
            BROKER.connectionFactory(),
            Recurring.class,
            "spring.application.name=billing",
            "spring.datasource.generate-unique-name=true",
            "pocketwatch.store.enabled=true",
            "pocketwatch.loader.sweep=500ms",
            "pocketwatch.routes.recurring.routing-key=recurring",
            "pocketwatch.routes.recurring.tracking=full",
            "pocketwatch.schedules.ticking.route=recurring",
            "pocketwatch.schedules.ticking.every=1s",
            "pocketwatch.schedules.ticking.catchUp=all",
            "pocketwatch.schedules.ticking.body=of properties")) {
      List<String> handled = new ArrayList<>();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                other.getBean(Recurring.class).handled.drainTo(handled);
                return handled.containsAll(List.of("of properties", "of a bean"));
              });
      assertThat(other.getBean(Schedules.class).list())
          .extracting(
              each -> each.stored().name(),
              each -> each.stored().owner(),
              each -> each.stored().changedBy())
          .containsExactly(
              tuple("of-a-bean", null, "billing"), tuple("ticking", "billing", "billing"));
      MeterRegistry meters = other.getBean(MeterRegistry.class);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                FunctionCounter fired =
                    meters
                        .find("pocketwatch.schedule.fired")
                        .tag("schedule", "ticking")
                        .functionCounter();
                return fired != null && fired.count() > 0;
              });
    }
  }

  @Test
  void schedules_without_a_store_or_with_a_wrong_key_are_refused() {
    String every = "pocketwatch.schedules.ticking.every=1s";
    String route = "pocketwatch.schedules.ticking.route=recurring";
    String queue = "pocketwatch.routes.recurring.routing-key=recurring";
    String tracked = "pocketwatch.routes.recurring.tracking=full";
    assertThatThrownBy(
            () ->
                Application.start(
                    BROKER.connectionFactory(), Bare.class, every, route, queue, tracked))
        .hasStackTraceContaining("has tracking: full, which needs a store");
    assertThatThrownBy(() -> stored(every, route, "pocketwatch.schedules.ticking.zone=Mars"))
        .hasStackTraceContaining("pocketwatch.schedules.ticking.zone: 'Mars' is no zone");
    assertThatThrownBy(() -> stored(every, route))
        .hasStackTraceContaining("pocketwatch.schedules.ticking.route: there is no route");
  }

  /** Another process does. */
  @Test
  void schedules_are_put_in_without_being_fired() {
    try (ConfigurableApplicationContext other =
        stored(
            "spring.datasource.generate-unique-name=true",
            "pocketwatch.schedules-runner.enabled=false",
            "pocketwatch.routes.recurring.routing-key=recurring",
            "pocketwatch.routes.recurring.tracking=full",
            "pocketwatch.schedules.ticking.route=recurring",
            "pocketwatch.schedules.ticking.every=1s")) {
      assertThat(other.getBean(Schedules.class).list()).hasSize(1);
      assertThat(other.getBean(SchedulesLifecycle.class).state()).isEmpty();
    }
  }

  @Test
  void a_users_own_store_is_the_only_one() {
    try (ConfigurableApplicationContext other =
        Application.start(
            BROKER.connectionFactory(),
            OwnStore.class,
            "spring.datasource.generate-unique-name=true",
            "pocketwatch.store.enabled=true",
            "pocketwatch.routes.timeout.exchange=store-orders",
            "pocketwatch.routes.timeout.tracking=full")) {
      assertThat(other.getBeansOfType(JdbcDelayStore.class)).containsOnlyKeys("mine");
    }
  }

  @Test
  void a_users_own_guard_is_the_only_one() {
    try (ConfigurableApplicationContext other =
        Application.start(
            BROKER.connectionFactory(),
            OwnGuard.class,
            "spring.datasource.generate-unique-name=true",
            "pocketwatch.store.enabled=true",
            "pocketwatch.routes.timeout.exchange=store-orders",
            "pocketwatch.routes.timeout.tracking=full")) {
      assertThat(other.getBeansOfType(DeliveryGuard.class)).containsOnlyKeys("mine");
      other
          .getBean(RabbitTemplate.class)
          .convertAndSend(
              "store-orders", "timeout", "23", Delayed.delay(Duration.ofMillis(100)).id("23"));
      MessageKey sent = key("23");
      SchedulingStore rows = other.getBean(SchedulingStore.class);
      Awaitility.await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> rows.find(sent).orElseThrow().state() == MessageState.SETTLED);
      assertThat(other.getBean(OwnGuard.class).settledBy).containsExactly("mine");
    }
  }

  /** One of them has it, whichever came first; the other is told what to do instead. */
  @Test
  void a_second_queue_that_gets_a_copy_keeps_it_and_health_says_why() {
    try (ConfigurableApplicationContext other =
        Application.start(
            BROKER.connectionFactory(),
            Both.class,
            "spring.datasource.generate-unique-name=true",
            "pocketwatch.store.enabled=true",
            "pocketwatch.routes.both.exchange=store-both",
            "pocketwatch.routes.both.tracking=full",
            "pocketwatch.loader.sweep=500ms")) {
      assertThat(ActuatorHealth.warnings(other)).isNull();
      RabbitTemplate sending = other.getBean(RabbitTemplate.class);
      sending.convertAndSend(
          "store-both", "", "26", Delayed.delay(Duration.ofMillis(100)).id("26"));

      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> ActuatorHealth.warnings(other) != null);
      assertThat(ActuatorHealth.warnings(other))
          .asString()
          .contains("'both-mail'", "'both-billing'", "both/26", "toQueue", "handoff");
      BlockingQueue<String> handled = other.getBean(Both.class).handled;
      assertThat(handled).hasSize(1);
      String stopped = handled.contains("both-mail") ? "both-billing" : "both-mail";
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> sending.execute(channel -> channel.messageCount(stopped)) == 1);
    }
  }

  private void send(String id, Duration delay) {
    template.convertAndSend("store-orders", "timeout", id, Delayed.delay(delay).id(id));
  }

  private MessageState state(String id) {
    return publisher.store().find(key(id)).orElseThrow().state();
  }

  private static MessageKey key(String id) {
    return new MessageKey("timeout", id);
  }

  @Entity
  static class Purchase {
    @Id private String id;

    Purchase() {}

    Purchase(String id) {
      this.id = id;
    }
  }

  /** In which nobody else asks for the database first. */
  @Configuration
  @EnableAutoConfiguration
  static class Bare {}

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Recurring {
    final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

    @Bean
    Schedule ofABean() {
      return Schedule.named("of-a-bean")
          .every(Duration.ofSeconds(1))
          .route("recurring")
          .body("of a bean")
          .contentType("text/plain")
          .build();
    }

    @RabbitListener(queuesToDeclare = @Queue("recurring"))
    void recurring(Message message) {
      handled.add(new String(message.getBody(), StandardCharsets.UTF_8));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnStore {
    @Bean
    JdbcDelayStore mine(DataSource dataSource) {
      JdbcSchema.create(dataSource);
      return JdbcDelayStore.builder(dataSource).build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnGuard {
    final BlockingQueue<String> settledBy = new LinkedBlockingQueue<>();

    @Bean
    DeliveryGuard mine(JdbcDelayStore store, DelayedPublisher publisher) {
      return new DeliveryGuard(
          store,
          TrackedPublisher.of(publisher).unwrap(HandOff.class),
          GuardOptions.builder().consumer("mine").build(),
          event -> {
            if (event instanceof ConsumerEvent.Settled one) {
              settledBy.add(one.consumer());
            }
          });
    }

    @RabbitListener(
        bindings =
            @QueueBinding(
                value = @Queue("own-guard-timeouts"),
                exchange = @Exchange("store-orders"),
                key = "timeout"))
    void timeout(String order) {}
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Both {
    final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

    @RabbitListener(
        bindings =
            @QueueBinding(
                value = @Queue("both-mail"),
                exchange = @Exchange(name = "store-both", type = "fanout")))
    void mail(String order) {
      handled.add("both-mail");
    }

    @RabbitListener(
        bindings =
            @QueueBinding(
                value = @Queue("both-billing"),
                exchange = @Exchange(name = "store-both", type = "fanout")))
    void billing(String order) {
      handled.add("both-billing");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Shop {
    final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

    @RabbitListener(
        bindings =
            @QueueBinding(
                value = @Queue("store-timeouts"),
                exchange = @Exchange("store-orders"),
                key = "timeout"))
    void timeout(String order) {
      handled.add(order);
    }
  }
}
