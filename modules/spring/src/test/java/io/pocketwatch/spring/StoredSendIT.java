// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.spring.internal.TransactionMark;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.core.Address;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Messages that get a row: with the caller's transaction, without one, and without a broker. */
class StoredSendIT {
  private static final String ROUTE = "timeout";

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private final BlockingQueue<String> confirms = new LinkedBlockingQueue<>();
  private SpringWorld world;
  private HikariDataSource database;
  private TrackedPublisher publisher;
  private DelayedRabbitTemplate template;
  private TransactionTemplate transaction;
  private JdbcTemplate jdbc;
  private String queue;

  @BeforeEach
  void open() {
    database = pool(10);
    jdbc = new JdbcTemplate(database);
    jdbc.execute("CREATE TABLE orders (id VARCHAR(50) PRIMARY KEY)");
    transaction = new TransactionTemplate(new JdbcTransactionManager(database));
    world = new SpringWorld(BROKER.connectionFactory());
    Exchange exchange = world.declare(new DirectExchange("stored"));
    queue = world.bound(exchange, "key");
    template = template(BROKER.connectionFactory());
  }

  /** Of a new database. */
  private static HikariDataSource pool(int connections) {
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    JdbcSchema.create(new DriverManagerDataSource(url));
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(connections);
    config.setConnectionTimeout(2_000);
    return new HikariDataSource(config);
  }

  private static PlatformTransactionManager marked(JdbcTransactionManager manager) {
    return (PlatformTransactionManager)
        new TransactionMark.PostProcessor().postProcessAfterInitialization(manager, "transactions");
  }

  private DelayedRabbitTemplate template(com.rabbitmq.client.ConnectionFactory broker) {
    JdbcDelayStore store = JdbcDelayStore.builder(database).build();
    publisher =
        DelayedPublisher.builder(broker)
            .routes(routes())
            .connectLater()
            .build(TrackedPublisher.with(store));
    DelayedRabbitTemplate delayed = new DelayedRabbitTemplate(world.connections, publisher);
    delayed.setTransactionJoin(new JdbcTransactionJoin(publisher, store));
    delayed.setConfirmCallback(
        (correlation, ack, cause) -> confirms.add(ack ? "ack" : String.valueOf(cause)));
    return delayed;
  }

  private static DelayRoutes routes() {
    return SpringWorld.routes().toBuilder()
        .route(
            DelayRoute.builder(ROUTE)
                .exchange("stored")
                .routingKey("key")
                .tracking(Tracking.FULL)
                .build())
        .build();
  }

  @AfterEach
  void close() throws Exception {
    template.stop();
    publisher.close();
    world.close();
    database.close();
  }

  @Test
  void a_committed_transaction_sends_its_message_and_confirms_it() throws Exception {
    CorrelationData correlation = new CorrelationData();
    transaction.executeWithoutResult(
        status -> {
          jdbc.update("INSERT INTO orders VALUES ('17')");
          send("one", Delayed.delay(Duration.ofMillis(300)).id("17"), correlation);
          assertThat(correlation.getFuture()).isNotDone();
        });
    assertThat(correlation.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    assertThat(confirms.poll(30, TimeUnit.SECONDS)).isEqualTo("ack");
    assertThat(text(template.receive(queue, 5_000))).isEqualTo("one");
  }

  @Test
  void a_transaction_that_is_rolled_back_sends_nothing_and_says_so() throws Exception {
    CorrelationData correlation = new CorrelationData();
    transaction.executeWithoutResult(
        status -> {
          jdbc.update("INSERT INTO orders VALUES ('18')");
          send("no", Delayed.delay(Duration.ofMillis(100)), correlation);
          status.setRollbackOnly();
        });
    CorrelationData.Confirm confirm = correlation.getFuture().get(5, TimeUnit.SECONDS);
    assertThat(confirm.ack()).isFalse();
    assertThat(confirm.reason()).isEqualTo("the transaction was rolled back");
    assertThat(confirms.poll(30, TimeUnit.SECONDS)).isEqualTo("the transaction was rolled back");
    assertThat(template.receive(queue, 500)).isNull();
    assertThat(rows()).isEmpty();
  }

  @Test
  void a_savepoint_that_is_rolled_back_takes_back_what_was_sent_since() throws Exception {
    TransactionTemplate nested = new TransactionTemplate(transaction.getTransactionManager());
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    CorrelationData before = new CorrelationData();
    CorrelationData within = new CorrelationData();
    transaction.executeWithoutResult(
        outer -> {
          send("kept", Delayed.delay(Duration.ofMillis(300)).id("before"), before);
          nested.executeWithoutResult(
              inner -> {
                send("no", Delayed.delay(Duration.ofMillis(100)).id("within"), within);
                inner.setRollbackOnly();
              });
        });
    assertThat(before.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    assertThat(within.getFuture().get(5, TimeUnit.SECONDS).ack()).isFalse();
    assertThat(text(template.receive(queue, 5_000))).isEqualTo("kept");
    assertThat(template.receive(queue, 300)).isNull();
  }

  /** Of a manager that sets no marks: it is no bean here. */
  @Test
  void after_the_transaction_it_is_stored_at_once_and_in_between_it_is_too_late() throws Exception {
    CorrelationData between = new CorrelationData();
    CorrelationData after = new CorrelationData();
    transaction.executeWithoutResult(
        status ->
            TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                  @Override
                  public void afterCommit() {
                    send("between", Delayed.delay(Duration.ofMillis(100)).id("between"), between);
                  }

                  @Override
                  public void afterCompletion(int how) {
                    send("after", Delayed.delay(Duration.ofMillis(100)).id("after"), after);
                  }
                }));
    assertThat(after.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    assertThat(between.getFuture().get(5, TimeUnit.SECONDS).reason()).contains("too late");
    assertThat(rows()).extracting(row -> row.key().id()).containsExactly("after");
    assertThat(text(template.receive(queue, 5_000))).isEqualTo("after");
  }

  @Test
  void what_is_sent_too_late_leaves_the_row_that_was_there_before() throws Exception {
    Delayed same =
        Delayed.deliverAt(publisher.unwrap(HandOff.class).now().plusSeconds(3_600)).id("kept");
    CorrelationData before = new CorrelationData();
    CorrelationData again = new CorrelationData();
    transaction.executeWithoutResult(
        status -> {
          send("x", same, before);
          TransactionSynchronizationManager.registerSynchronization(
              new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                  send("x", same, again);
                }
              });
        });
    assertThat(before.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    assertThat(again.getFuture().get(5, TimeUnit.SECONDS).reason()).contains("too late");
    assertThat(rows()).extracting(row -> row.key().id()).containsExactly("kept");
  }

  @Test
  void what_is_sent_in_between_is_stored_at_once_where_transactions_are_marked() throws Exception {
    transaction = new TransactionTemplate(marked(new JdbcTransactionManager(database)));
    transaction.executeWithoutResult(
        status ->
            TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                  @Override
                  public void afterCommit() {
                    send("between", Delayed.delay(Duration.ofMillis(100)).id("between"), null);
                  }
                }));
    assertThat(rows()).extracting(row -> row.key().id()).containsExactly("between");
    assertThat(text(template.receive(queue, 5_000))).isEqualTo("between");
  }

  @Test
  void what_is_sent_in_between_takes_another_connection_than_the_threads() {
    publisher.close();
    database.close();
    database = pool(2);
    transaction = new TransactionTemplate(marked(new JdbcTransactionManager(database)));
    template = template(BROKER.connectionFactory());
    transaction.executeWithoutResult(status -> sendAfterCommit("second"));
    assertThat(rows()).extracting(row -> row.key().id()).containsExactly("second");

    TransactionTemplate apart = new TransactionTemplate(transaction.getTransactionManager());
    apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    outer -> apart.executeWithoutResult(inner -> sendAfterCommit("third"))))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("Connection is not available");
    assertThat(rows()).extracting(row -> row.key().id()).containsExactly("second");
  }

  private void sendAfterCommit(String id) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            send("x", Delayed.delay(Duration.ofHours(30)).id(id), null);
          }
        });
  }

  @Test
  void what_is_sent_while_the_transaction_commits_is_a_part_of_it() throws Exception {
    CorrelationData beforeCommit = new CorrelationData();
    CorrelationData flush = new CorrelationData();
    JdbcTransactionManager flushing =
        new JdbcTransactionManager(database) {
          @Override
          protected void doCommit(DefaultTransactionStatus status) {
            send("flush", Delayed.delay(Duration.ofMillis(600)).id("flush"), flush);
            super.doCommit(status);
          }
        };
    TransactionTemplate committing = new TransactionTemplate(flushing);
    assertThatThrownBy(
            () ->
                committing.executeWithoutResult(
                    status ->
                        TransactionSynchronizationManager.registerSynchronization(
                            new TransactionSynchronization() {
                              @Override
                              public void beforeCommit(boolean readOnly) {
                                Delayed soon = Delayed.delay(Duration.ofMillis(100));
                                send("before", soon.id("before"), beforeCommit);
                              }

                              @Override
                              public void afterCommit() {
                                throw new IllegalStateException("after the commit");
                              }
                            })))
        .hasMessage("after the commit");
    assertThat(beforeCommit.getFuture().get(5, TimeUnit.SECONDS).reason()).isNull();
    assertThat(flush.getFuture().get(5, TimeUnit.SECONDS).reason()).isNull();
    assertThat(text(template.receive(queue, 5_000))).isEqualTo("before");
    assertThat(text(template.receive(queue, 5_000))).isEqualTo("flush");
  }

  @Test
  void an_error_after_the_send_takes_the_message_back() {
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      send("no", Delayed.delay(Duration.ofMillis(100)), null);
                      throw new IllegalStateException("no stock");
                    }))
        .hasMessage("no stock");
    assertThat(rows()).isEmpty();
    assertThat(template.receive(queue, 400)).isNull();
  }

  @Test
  void what_a_post_processor_refuses_is_not_stored() {
    template.setCorrelationDataPostProcessor(
        (message, correlation) -> {
          throw new IllegalStateException("no correlation");
        });
    assertThatThrownBy(() -> send("x", Delayed.delay(Duration.ofMinutes(5)), null))
        .hasStackTraceContaining("no correlation");
    assertThat(rows()).isEmpty();
  }

  @Test
  void without_a_transaction_it_is_stored_when_the_call_returns() throws Exception {
    CorrelationData correlation = new CorrelationData();
    send("x", Delayed.delay(Duration.ofMinutes(5)).businessKey("order-1"), correlation);
    assertThat(correlation.getFuture().getNow(null).ack()).isTrue();
    assertThat(rows())
        .singleElement()
        .satisfies(row -> assertThat(row.message().businessKey()).isEqualTo("order-1"));
  }

  @Test
  void the_same_id_is_stored_once_and_another_message_under_it_is_an_error() {
    Delayed same = Delayed.delay(Duration.ofDays(1)).id("order-9");
    send(
        "x",
        Delayed.deliverAt(publisher.unwrap(HandOff.class).now().plusSeconds(3_600)).id("order-9"),
        null);
    assertThatThrownBy(() -> send("y", same, null))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("order-9");
    assertThat(rows()).hasSize(1);
  }

  @Test
  void a_transaction_on_another_database_is_refused() {
    DriverManagerDataSource other = new DriverManagerDataSource("jdbc:h2:mem:other");
    CorrelationData correlation = new CorrelationData();
    assertThatThrownBy(
            () ->
                new TransactionTemplate(new JdbcTransactionManager(other))
                    .executeWithoutResult(
                        status -> send("x", Delayed.delay(Duration.ofMinutes(1)), correlation)))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("not on the store's data source");
    assertThat(correlation.getFuture().getNow(null).ack()).isFalse();
    assertThat(rows()).isEmpty();
  }

  @Test
  void what_asks_for_no_delay_goes_to_the_broker_though_its_route_is_tracked() {
    template.convertAndSend("stored", "key", "now");
    assertThat(text(template.receive(queue, 5_000))).isEqualTo("now");
    assertThat(rows()).isEmpty();
  }

  @Test
  void a_direct_reply_cannot_be_waited_for_through_the_store() {
    Message request = MessageBuilder.withBody(new byte[1]).setHeader("x-delay", 100).build();
    assertThatThrownBy(() -> template.sendAndReceive("stored", "key", request))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("Set a reply queue");
    assertThat(Address.AMQ_RABBITMQ_REPLY_TO).isNotNull();
    assertThat(rows()).isEmpty();
  }

  @Test
  void with_the_broker_away_it_is_stored_all_the_same_and_arrives_when_it_is_back()
      throws Exception {
    publisher.close();
    com.rabbitmq.client.ConnectionFactory away = BROKER.connectionFactory();
    away.setPort(1);
    template = template(away);
    transaction.executeWithoutResult(
        status -> {
          jdbc.update("INSERT INTO orders VALUES ('20')");
          send("later", Delayed.delay(Duration.ofMillis(100)), null);
        });
    assertThat(rows()).hasSize(1).allMatch(row -> row.state() == MessageState.PENDING);
    publisher.close();

    template = template(BROKER.connectionFactory());
    try (io.pocketwatch.loader.Loader loader = new io.pocketwatch.loader.Loader(publisher)) {
      loader.start();
      assertThat(text(template.receive(queue, 60_000))).isEqualTo("later");
    }
  }

  private void send(String text, Delayed delayed, CorrelationData correlation) {
    template.convertAndSend("stored", "key", text, delayed, correlation);
  }

  private List<StoredMessage> rows() {
    return publisher.store().list(MessageQuery.all());
  }

  private static String text(Message message) {
    assertThat(message).isNotNull();
    return new String(message.getBody());
  }
}
