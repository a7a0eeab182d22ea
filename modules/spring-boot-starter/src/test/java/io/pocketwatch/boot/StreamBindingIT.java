// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.spring.Delayed;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.stream.function.StreamBridge;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.amqp.outbound.AmqpOutboundEndpoint;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.SubscribableChannel;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with Spring Cloud Stream, on a broker without the plugin. */
@Tag("ci")
@Tag("stream")
@ExtendWith(OutputCaptureExtension.class)
class StreamBindingIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.anyVersion();

  private static final Duration DELAY = Duration.ofMillis(1_500);
  private static final String STREAM = "spring.cloud.stream.";

  private static ConfigurableApplicationContext context;
  private static Bindings application;

  @BeforeAll
  static void start() {
    List<String> properties =
        new ArrayList<>(
            List.of(
                "spring.datasource.generate-unique-name=true",
                "spring.autoconfigure.exclude=" + String.join(",", StoreStarterIT.HIBERNATE),
                "spring.data.jpa.repositories.enabled=false",
                "pocketwatch.store.enabled=true",
                "pocketwatch.loader.sweep=500ms",
                "pocketwatch.routes.timeout.exchange=stream-tracked",
                "pocketwatch.routes.timeout.routing-key=stream-tracked",
                "pocketwatch.routes.timeout.tracking=full",
                "spring.cloud.function.definition=plain;delayed;dynamic;failing;tracked;batched"
                    + ";partition;anonymous;relay;relayed",
                rabbit("delayed-in-0.consumer.delayed-exchange=true"),
                rabbit("delayed-out-0.producer.delayed-exchange=true"),
                rabbit("delayed-out-0.producer.delay-expression=headers['pause']"),
                rabbit("failing-in-0.consumer.auto-bind-dlq=true"),
                rabbit("failing-in-0.consumer.republish-to-dlq=true"),
                binding("failing-in-0.consumer.max-attempts=1"),
                rabbit("confirmed-out-0.producer.use-confirm-header=true"),
                binding("returned-out-0.producer.error-channel-enabled=true"),
                rabbit("batched-out-0.producer.batching-enabled=true"),
                rabbit("batched-out-0.producer.batch-size=2"),
                rabbit("batched-out-0.producer.batch-timeout=60000"),
                binding("partition-in-0.consumer.partitioned=true"),
                STREAM + "instance-count=2",
                STREAM + "instance-index=1",
                binding("partition-out-0.producer.partition-count=2"),
                binding("partition-out-0.producer.partition-key-expression=1"),
                binding("relay-out-0.destination=stream-relayed")));
    for (String name : List.of("plain", "delayed", "dynamic", "failing", "tracked", "batched")) {
      consumes(properties, name, "shop");
    }
    for (String name : List.of("partition", "relay", "relayed")) {
      consumes(properties, name, "shop");
    }
    consumes(properties, "anonymous", "");
    for (String name : List.of("plain", "delayed", "failing", "tracked", "batched")) {
      properties.add(binding("%s-out-0.destination=stream-%s".formatted(name, name)));
    }
    properties.add(binding("partition-out-0.destination=stream-partition"));
    properties.add(binding("anonymous-out-0.destination=stream-anonymous"));
    properties.add(binding("confirmed-out-0.destination=stream-plain"));
    properties.add(binding("returned-out-0.destination=stream-nobody"));
    context =
        Application.start(
            BROKER.connectionFactory(), Bindings.class, properties.toArray(String[]::new));
    application = context.getBean(Bindings.class);
    context
        .getBean("errorChannel", SubscribableChannel.class)
        .subscribe(error -> application.errors.add(String.valueOf(error.getPayload())));
  }

  private static void consumes(List<String> properties, String name, String group) {
    properties.add(binding("%s-in-0.destination=stream-%s".formatted(name, name)));
    if (!group.isEmpty()) {
      properties.add(binding("%s-in-0.group=%s".formatted(name, group)));
    }
  }

  private static String binding(String property) {
    return STREAM + "bindings." + property;
  }

  private static String rabbit(String property) {
    return STREAM + "rabbit.bindings." + property;
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @Test
  void the_header_of_the_plugin_delays() throws Exception {
    Instant sent = send("plain-out-0", "17", "x-delay", DELAY.toMillis());
    assertOnTime(sent, "plain");
  }

  @Test
  void so_does_the_header_of_spring() throws Exception {
    Instant sent = send("plain-out-0", "17", AmqpHeaders.DELAY, DELAY.toMillis());
    assertOnTime(sent, "plain");
  }

  @Test
  void what_asks_for_no_delay_comes_at_once() throws Exception {
    Instant sent = send("plain-out-0", "17", "some", "header");
    Received received = application.next("plain");
    assertThat(Duration.between(sent, received.at())).isLessThan(DELAY);
    assertThat(received.headers()).containsEntry("some", "header");
  }

  @Test
  void an_expression_delays_and_a_delayed_exchange_is_declared_with_its_underlying_type()
      throws Exception {
    Instant sent = send("delayed-out-0", "17", "pause", DELAY.toMillis());
    assertOnTime(sent, "delayed");
    try (Connection connection = BROKER.connectionFactory().newConnection()) {
      connection
          .createChannel()
          .exchangeDeclare("stream-delayed", BuiltinExchangeType.TOPIC, true); // or it is a 406
    }
  }

  @Test
  void a_destination_that_only_the_bridge_knows_delays() throws Exception {
    Instant sent = send("stream-dynamic", "17", "x-delay", DELAY.toMillis());
    assertOnTime(sent, "dynamic");
  }

  @Test
  void a_partition_gets_what_was_delayed_for_it() throws Exception {
    Instant sent = send("partition-out-0", "17", "x-delay", DELAY.toMillis());
    Received received = assertOnTime(sent, "partition");
    assertThat(received.headers())
        .containsEntry(AmqpHeaders.CONSUMER_QUEUE, "stream-partition.shop-1");
  }

  @Test
  void a_group_without_a_name_gets_what_was_delayed() throws Exception {
    Instant sent = send("anonymous-out-0", "17", "x-delay", DELAY.toMillis());
    assertOnTime(sent, "anonymous");
  }

  @Test
  void what_a_function_sends_on_is_not_delayed_again() throws Exception {
    Instant sent = send("stream-relay", "17", "x-delay", DELAY.toMillis());
    Received received = application.next("relayed");
    assertThat(Duration.between(sent, received.at()))
        .isBetween(DELAY, DELAY.plus(DELAY.dividedBy(2)));
  }

  @Test
  void a_message_that_fails_is_republished_with_the_exchange_it_was_sent_to() throws Exception {
    send("failing-out-0", "17", "x-delay", DELAY.toMillis());
    try (Connection connection = BROKER.connectionFactory().newConnection()) {
      Channel channel = connection.createChannel();
      GetResponse dead =
          await()
              .atMost(Duration.ofSeconds(30))
              .until(() -> channel.basicGet("stream-failing.shop.dlq", true), got -> got != null);
      assertThat(dead.getProps().getHeaders())
          .extractingByKey("x-original-exchange")
          .hasToString("stream-failing");
      assertThat(dead.getProps().getHeaders()).doesNotContainKey("x-death");
    }
  }

  @Test
  void a_route_tracks_a_binding_and_joins_its_messages_to_transactions() throws Exception {
    TransactionTemplate transaction =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    transaction.executeWithoutResult(
        status -> {
          sendTracked("18");
          status.setRollbackOnly();
        });
    transaction.executeWithoutResult(status -> sendTracked("19"));
    SchedulingStore store = context.getBean(SchedulingStore.class);
    assertThat(store.find(new MessageKey("timeout", "18"))).isEmpty();
    assertThat(store.find(new MessageKey("timeout", "19"))).isPresent();
    assertThat(application.next("tracked").payload()).isEqualTo("19");
    await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () ->
                store.find(new MessageKey("timeout", "19")).orElseThrow().state()
                    == MessageState.SETTLED);
  }

  private static void sendTracked(String id) {
    Map<String, Object> asked = Delayed.delay(DELAY).id(id).headers();
    context
        .getBean(StreamBridge.class)
        .send("tracked-out-0", MessageBuilder.withPayload(id).copyHeaders(asked).build());
  }

  @Test
  void a_held_message_is_confirmed() throws Exception {
    CorrelationData confirm = new CorrelationData();
    Message<String> message =
        MessageBuilder.withPayload("17")
            .setHeader("x-delay", DELAY.toMillis())
            .setHeader(AmqpHeaders.PUBLISH_CONFIRM_CORRELATION, confirm)
            .build();
    Instant sent = Instant.now();
    context.getBean(StreamBridge.class).send("confirmed-out-0", message);
    assertThat(confirm.getFuture().get(5, TimeUnit.SECONDS)).extracting("ack").isEqualTo(true);
    assertThat(Duration.between(sent, Instant.now())).isLessThan(DELAY);
    assertThat(confirm.getReturned()).isNull();
    assertOnTime(sent, "plain");
  }

  @Test
  void a_batch_stays_one_and_a_delayed_message_is_none_of_it() throws Exception {
    Instant sent = send("batched-out-0", "delayed", "x-delay", DELAY.toMillis());
    send("batched-out-0", "1", "some", "header");
    assertOnTime(sent, "batched");
    send("batched-out-0", "2", "some", "header");
    assertThat(application.next("batched").payload()).isEqualTo("1");
    assertThat(application.next("batched").payload()).isEqualTo("2");
  }

  @Test
  void an_unroutable_message_goes_to_the_error_channel() throws Exception {
    send("returned-out-0", "17", "some", "header");
    await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () -> application.errors.poll(),
            error ->
                error != null && error.contains("stream-nobody") && error.contains("NO_ROUTE"));
  }

  /** With the template that is injected, which no customizer has changed. */
  @Test
  void an_endpoint_of_spring_integration_delays() throws Exception {
    AmqpOutboundEndpoint endpoint = new AmqpOutboundEndpoint(context.getBean(RabbitTemplate.class));
    endpoint.setExchangeName("stream-plain");
    endpoint.setDelayExpressionString("headers['pause']");
    endpoint.setBeanFactory(context);
    endpoint.afterPropertiesSet();
    Instant sent = Instant.now();
    endpoint.handleMessage(
        MessageBuilder.withPayload("17").setHeader("pause", DELAY.toMillis()).build());
    assertOnTime(sent, "plain");
  }

  @Test
  void a_transacted_producer_delays_and_goes_without_confirms() throws Exception {
    try (ConfigurableApplicationContext other =
        Application.start(
            BROKER.connectionFactory(),
            Transacted.class,
            "spring.autoconfigure.exclude=" + String.join(",", StoreStarterIT.HIBERNATE),
            "spring.data.jpa.repositories.enabled=false",
            binding("handle-in-0.destination=stream-transacted"),
            binding("handle-in-0.group=shop"),
            binding("transacted-out-0.destination=stream-transacted"),
            rabbit("transacted-out-0.producer.transacted=true"))) {
      Instant sent = Instant.now();
      other
          .getBean(StreamBridge.class)
          .send(
              "transacted-out-0",
              MessageBuilder.withPayload("17").setHeader("x-delay", DELAY.toMillis()).build());
      assertThat(other.getBean(CachingConnectionFactory.class).isPublisherConfirms()).isFalse();
      Instant at = other.getBean(Transacted.class).received.poll(30, TimeUnit.SECONDS);
      assertThat(Duration.between(sent, at)).isBetween(DELAY, DELAY.multipliedBy(2));
    }
  }

  @Test
  void a_binder_with_an_environment_of_its_own_is_warned_of(CapturedOutput output) {
    com.rabbitmq.client.ConnectionFactory broker = BROKER.connectionFactory();
    String own = STREAM + "binders.other.environment.spring.rabbitmq.";
    Application.start(
            broker,
            Transacted.class,
            "spring.autoconfigure.exclude=" + String.join(",", StoreStarterIT.HIBERNATE),
            "spring.data.jpa.repositories.enabled=false",
            STREAM + "binders.other.type=rabbit",
            own + "addresses=%s:%s".formatted(broker.getHost(), broker.getPort()),
            own + "username=" + broker.getUsername(),
            own + "password=" + broker.getPassword(),
            own + "virtual-host=" + broker.getVirtualHost())
        .close();
    assertThat(output).contains("The binder 'other' has an environment of its own");
  }

  private static Instant send(String binding, String payload, String header, Object value) {
    Instant now = Instant.now();
    context
        .getBean(StreamBridge.class)
        .send(binding, MessageBuilder.withPayload(payload).setHeader(header, value).build());
    return now;
  }

  private static Received assertOnTime(Instant sent, String binding) throws InterruptedException {
    Received received = application.next(binding);
    assertThat(Duration.between(sent, received.at())).isBetween(DELAY, DELAY.multipliedBy(2));
    assertThat(received.headers())
        .containsEntry(AmqpHeaders.RECEIVED_EXCHANGE, "stream-" + binding)
        .containsEntry(AmqpHeaders.RECEIVED_DELAY, DELAY.toMillis())
        .doesNotContainKey("x-death");
    return received;
  }

  record Received(Instant at, String payload, MessageHeaders headers) {}

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Bindings {
    final Map<String, BlockingQueue<Received>> received = new ConcurrentHashMap<>();
    final BlockingQueue<String> errors = new LinkedBlockingQueue<>();

    Received next(String binding) throws InterruptedException {
      Received next = of(binding).poll(30, TimeUnit.SECONDS);
      assertThat(next).as("a message for " + binding).isNotNull();
      return next;
    }

    private BlockingQueue<Received> of(String binding) {
      return received.computeIfAbsent(binding, name -> new LinkedBlockingQueue<>());
    }

    private Consumer<Message<String>> into(String binding) {
      return message ->
          of(binding).add(new Received(Instant.now(), message.getPayload(), message.getHeaders()));
    }

    @Bean
    Consumer<Message<String>> plain() {
      return into("plain");
    }

    @Bean
    Consumer<Message<String>> delayed() {
      return into("delayed");
    }

    @Bean
    Consumer<Message<String>> dynamic() {
      return into("dynamic");
    }

    @Bean
    Consumer<Message<String>> tracked() {
      return into("tracked");
    }

    @Bean
    Consumer<Message<String>> batched() {
      return into("batched");
    }

    @Bean
    Consumer<Message<String>> partition() {
      return into("partition");
    }

    @Bean
    Consumer<Message<String>> anonymous() {
      return into("anonymous");
    }

    @Bean
    Consumer<Message<String>> relayed() {
      return into("relayed");
    }

    @Bean
    Function<Message<String>, Message<String>> relay() {
      return message ->
          MessageBuilder.withPayload(message.getPayload())
              .copyHeaders(message.getHeaders())
              .build();
    }

    @Bean
    Consumer<Message<String>> failing() {
      return message -> {
        throw new IllegalStateException("no stock");
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Transacted {
    final BlockingQueue<Instant> received = new LinkedBlockingQueue<>();

    @Bean
    Consumer<String> handle() {
      return message -> received.add(Instant.now());
    }
  }
}
