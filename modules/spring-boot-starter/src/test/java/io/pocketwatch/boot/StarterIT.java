// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.transport.SenderContext;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.spring.Delayed;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.spring.wiring.PocketwatchStatus;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.AmqpAdmin;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.annotation.Exchange;
import org.springframework.amqp.rabbit.annotation.QueueBinding;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitMessagingTemplate;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications of users, who added a dependency and changed nothing else. */
class StarterIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @Test
  void code_written_for_the_plugin_works_on_a_broker_without_it() throws Exception {
    try (ConfigurableApplicationContext context = start(Orders.class)) {
      RabbitTemplate template = context.getBean(RabbitTemplate.class);
      assertThat(template).isInstanceOf(DelayedRabbitTemplate.class);
      CorrelationData correlation = new CorrelationData();
      long sent = System.nanoTime();
      template.convertAndSend(
          "starter-orders",
          "order.timeout",
          "17",
          message -> {
            message.getMessageProperties().setDelayLong(300L);
            return message;
          },
          correlation);
      assertThat(correlation.getFuture().get(5, TimeUnit.SECONDS))
          .extracting("ack")
          .isEqualTo(true);
      Message received = context.getBean(Orders.class).received.poll(30, TimeUnit.SECONDS);
      assertThat(Duration.ofNanos(System.nanoTime() - sent))
          .isGreaterThanOrEqualTo(Duration.ofMillis(300));
      assertThat(received.getMessageProperties().getReceivedExchange()).isEqualTo("starter-orders");
      assertThat(received.getMessageProperties().getReceivedDelayLong()).isEqualTo(300);
      assertThat(received.getMessageProperties().getHeaders()).doesNotContainKey("x-death");
      assertThat(context.getBean(RabbitMessagingTemplate.class).getRabbitTemplate())
          .isSameAs(template);
    }
  }

  @Test
  void the_users_own_customizations_stay() throws Exception {
    try (ConfigurableApplicationContext context =
        start(
            Customized.class,
            "pocketwatch.routes.customized.routing-key=starter-customized",
            "spring.rabbitmq.template.observation-enabled=true",
            "spring.rabbitmq.template.retry.enabled=true",
            "spring.rabbitmq.listener.simple.retry.enabled=true",
            "spring.rabbitmq.listener.simple.retry.max-attempts=3",
            "spring.rabbitmq.listener.simple.retry.max-retries=2",
            "spring.rabbitmq.listener.simple.retry.initial-interval=20ms")) {
      Customized application = context.getBean(Customized.class);
      RabbitTemplate template = context.getBean(RabbitTemplate.class);
      assertThat(template.getRoutingKey()).as("by the customizer").isEqualTo("customized");
      template.convertAndSend(
          "",
          "starter-customized",
          "x",
          io.pocketwatch.spring.Delayed.delay(Duration.ofMillis(100)));
      assertThat(application.attempts.poll(30, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(application.attempts.poll(30, TimeUnit.SECONDS)).isEqualTo(2);
      assertThat(application.attempts.poll(30, TimeUnit.SECONDS)).isEqualTo(3);
      assertThat(application.customized).isTrue();
      assertThat(application.traces).hasSize(3).containsOnly(Tracer.CONTEXT);
      TestObservationRegistry observations =
          (TestObservationRegistry) context.getBean(ObservationRegistry.class);
      io.micrometer.observation.tck.TestObservationRegistryAssert.assertThat(observations)
          .hasObservationWithNameEqualTo("spring.rabbit.template");
      MeterRegistry meters = context.getBean(MeterRegistry.class);
      assertThat(meters.get("pocketwatch.sent").tag("route", "customized").counter().count())
          .isEqualTo(1);
      assertThat(meters.get("pocketwatch.lateness").tag("route", "customized").timer().count())
          .as("without a store")
          .isPositive();
    }
  }

  @Test
  void routes_come_from_the_properties() {
    try (ConfigurableApplicationContext context =
        start(
            Empty.class,
            "pocketwatch.routes.order-timeout.exchange=starter-orders",
            "pocketwatch.routes.order-timeout.delays[0]=15m",
            "pocketwatch.routes.order-timeout.delays[1]=30m",
            "pocketwatch.publisher.max-in-flight=77")) {
      DelayedPublisher publisher = context.getBean(DelayedPublisher.class);
      assertThat(publisher.routes().named("order-timeout").delays())
          .containsExactly(Duration.ofMinutes(15), Duration.ofMinutes(30));
      assertThat(publisher.routes().publisher().maxInFlight()).isEqualTo(77);
    }
  }

  @Test
  void a_wrong_property_stops_the_start_and_is_named() {
    assertThatThrownBy(() -> start(Empty.class, "pocketwatch.wheel.max-dealy=1h"))
        .hasStackTraceContaining(
            "pocketwatch.wheel.max-dealy: unknown key, did you mean 'max-delay'?");
    assertThatThrownBy(() -> start(Empty.class, "pocketwatch.guard.patience=1h"))
        .hasStackTraceContaining(
            "pocketwatch.guard.patience: unknown key; allowed: handling-lease");
    assertThatThrownBy(() -> start(Empty.class, "pocketwatch.routes.t.dealys=1h"))
        .hasStackTraceContaining(
            "pocketwatch.routes.t.dealys: unknown key, did you mean 'delays'?");
    assertThatThrownBy(
            () ->
                start(
                    Empty.class,
                    "pocketwatch.enabled=maybe",
                    "pocketwatch.store.enabled=${UNSET}",
                    "pocketwatch.routes.t.exchange=${UNSET}"))
        .hasStackTraceContaining("pocketwatch.enabled: 'maybe' is a text; allowed: true, false")
        .hasStackTraceContaining("pocketwatch.store.enabled: holds ${UNSET}, which nothing")
        .hasStackTraceContaining("pocketwatch.routes.t.exchange: holds ${UNSET}, which nothing");
    assertThatThrownBy(() -> start(Empty.class, "pocketwatch.publisher.maxInFlight=0"))
        .hasStackTraceContaining("application properties: pocketwatch.publisher.max-in-flight")
        .hasStackTraceContaining(
            "set by \"pocketwatch.publisher.maxInFlight\" from property source");
    assertThatThrownBy(
            () ->
                start(
                    Empty.class,
                    "pocketwatch.routes.t.exchange=x",
                    "pocketwatch.routes.t.tracking=full"))
        .hasStackTraceContaining("route 't' has tracking: full, which needs a store");
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void what_is_wrong_stands_in_the_log_as_boot_says_such_things(CapturedOutput output) {
    assertThatThrownBy(() -> start(Empty.class, "pocketwatch.wheel.max-dealy=1h"))
        .isInstanceOf(InvalidConfigurationException.class);
    assertThat(output)
        .containsSubsequence(
            "APPLICATION FAILED TO START", "pocketwatch.wheel.max-dealy", "Action:")
        .doesNotContain("\tat ");

    assertThatThrownBy(() -> start(Empty.class, "pocketwatch.guard.handling-lease=soon"))
        .isInstanceOf(InvalidConfigurationException.class);
    assertThat(output)
        .containsSubsequence("APPLICATION FAILED TO START", "pocketwatch.guard.handling-lease");

    assertThatThrownBy(() -> start(Empty.class, "pocketwatch.guard.handlingLease=9d"))
        .isInstanceOf(InvalidConfigurationException.class);
    assertThat(output)
        .containsSubsequence(
            "APPLICATION FAILED TO START",
            "pocketwatch.guard.handling-lease: handling-lease 9d is out of range; allowed: 1s to"
                + " 1d",
            "set by \"pocketwatch.guard.handlingLease\"");

    assertThatThrownBy(() -> start(Empty.class, "pocketwatch.connect=soon"))
        .isInstanceOf(InvalidConfigurationException.class);
    assertThat(output)
        .containsSubsequence(
            "APPLICATION FAILED TO START",
            "pocketwatch.connect: 'soon' is unknown; allowed: on-demand, at-start");
  }

  @Test
  void confirms_are_on_unless_the_application_says_otherwise() {
    try (ConfigurableApplicationContext context = start(Empty.class)) {
      CachingConnectionFactory connections = context.getBean(CachingConnectionFactory.class);
      assertThat(connections.isPublisherConfirms()).isTrue();
      assertThat(connections.isPublisherReturns()).isTrue();
    }
    try (ConfigurableApplicationContext context =
        start(Empty.class, "spring.rabbitmq.publisher-confirm-type=none")) {
      assertThat(context.getBean(CachingConnectionFactory.class).isPublisherConfirms()).isFalse();
    }
  }

  @Test
  void a_transacted_template_goes_without_the_confirms_we_would_turn_on() {
    try (ConfigurableApplicationContext context = start(Transacted.class)) {
      assertThat(context.getBean(CachingConnectionFactory.class).isPublisherConfirms()).isFalse();
      RabbitTemplate template = context.getBean(RabbitTemplate.class);
      template.convertAndSend(
          "",
          "starter-transacted",
          "x",
          io.pocketwatch.spring.Delayed.delay(Duration.ofMillis(100)));
      assertThat(template.receive("starter-transacted", 5_000)).isNotNull();
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {OwnConnections.class, OwnAddresses.class, OwnResolver.class})
  void a_users_own_connection_factory_says_where_the_broker_is(Class<?> configuration) {
    try (ConfigurableApplicationContext context =
        start(configuration, "spring.rabbitmq.addresses=localhost:1")) {
      DelayedPublisher publisher = context.getBean(DelayedPublisher.class);
      publisher.connect();
      assertThat(publisher.status().connected()).isTrue();
    }
  }

  @Test
  void nothing_is_declared_before_the_first_delayed_message() throws Exception {
    String prefix = "pocketwatch.name-prefix=untouched";
    try (ConfigurableApplicationContext context = start(OnDemand.class, prefix)) {
      DelayedPublisher publisher = context.getBean(DelayedPublisher.class);
      RabbitTemplate template = context.getBean(RabbitTemplate.class);
      template.convertAndSend("", "starter-on-demand", "undelayed");
      assertThat(template.receive("starter-on-demand", 5_000)).isNotNull();
      assertThat(publisher.status().connected()).isFalse();
      assertThat(context.getBean(PocketwatchStatus.class).problems()).isEmpty();
      assertThat(exists("untouched.release")).isFalse();

      template.convertAndSend("", "starter-on-demand", "x", Delayed.delay(Duration.ofMillis(100)));
      assertThat(template.receive("starter-on-demand", 30_000)).isNotNull();
      assertThat(publisher.status().connected()).isTrue();
      assertThat(exists("untouched.release")).isTrue();
    }
  }

  @Test
  void the_first_message_of_the_publisher_itself_connects_too() throws Exception {
    try (ConfigurableApplicationContext context = start(OnDemand.class)) {
      context.getBean(AmqpAdmin.class).initialize(); // the queue; over Spring's connection
      DelayedMessage message =
          DelayedMessage.toQueue("starter-on-demand").delay(Duration.ofMillis(100));
      PublishReceipt receipt =
          context.getBean(DelayedPublisher.class).publish(message).get(60, TimeUnit.SECONDS);
      assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
    }
  }

  @Test
  void who_wants_to_know_at_the_start_whether_all_can_be_declared_says_so() {
    try (ConfigurableApplicationContext context =
        start(Empty.class, "pocketwatch.connect=at-start")) {
      assertThat(context.getBean(DelayedPublisher.class).status().connected()).isTrue();
    }
    assertThatThrownBy(
            () ->
                start(
                    Empty.class,
                    "pocketwatch.connect=at-start",
                    "pocketwatch.topology=verify",
                    "pocketwatch.name-prefix=nowhere"))
        .hasStackTraceContaining("topology: verify, but the broker answers");
  }

  private static boolean exists(String exchange) throws Exception {
    try (Connection connection = BROKER.connectionFactory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.exchangeDeclarePassive(exchange);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void switched_off_it_is_not_there() {
    try (ConfigurableApplicationContext context = start(Empty.class, "pocketwatch.enabled=false")) {
      assertThat(context.getBean(RabbitTemplate.class)).isExactlyInstanceOf(RabbitTemplate.class);
      assertThat(context.getBeanNamesForType(DelayedPublisher.class)).isEmpty();
    }
  }

  @Test
  void a_users_own_template_is_left_alone() {
    try (ConfigurableApplicationContext context = start(OwnTemplate.class)) {
      assertThat(context.getBeansOfType(RabbitTemplate.class)).containsOnlyKeys("mine");
    }
  }

  @Test
  void a_users_own_publisher_is_the_only_one() {
    try (ConfigurableApplicationContext context = start(OwnPublisher.class)) {
      assertThat(context.getBeansOfType(DelayedPublisher.class)).containsOnlyKeys("mine");
      assertThat(context.getBean(RabbitTemplate.class)).isInstanceOf(DelayedRabbitTemplate.class);
    }
  }

  @Test
  void it_starts_without_a_broker() {
    com.rabbitmq.client.ConnectionFactory away = BROKER.connectionFactory();
    away.setPort(1);
    try (ConfigurableApplicationContext context = Application.start(away, Empty.class)) {
      assertThat(context.getBean(DelayedPublisher.class).status().connected()).isFalse();
    }
  }

  private static ConfigurableApplicationContext start(
      Class<?> configuration, String... properties) {
    return Application.start(BROKER.connectionFactory(), configuration, properties);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Empty {}

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Orders {
    final BlockingQueue<Message> received = new LinkedBlockingQueue<>();

    @RabbitListener(
        bindings =
            @QueueBinding(
                value = @org.springframework.amqp.rabbit.annotation.Queue("starter-timeouts"),
                exchange = @Exchange(value = "starter-orders", delayed = "true"),
                key = "order.timeout"))
    void timeout(Message message) {
      received.add(message);
    }

    @Bean
    DirectExchange another() {
      DirectExchange exchange = new DirectExchange("starter-another");
      exchange.setDelayed(true);
      return exchange;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @org.springframework.context.annotation.Import(LineCustomizer.class)
  static class Customized {
    final BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();
    final BlockingQueue<String> traces = new LinkedBlockingQueue<>();
    private int attempt;
    volatile boolean customized;

    @Bean
    Queue queue() {
      return new Queue("starter-customized");
    }

    @Bean
    ContainerCustomizer<SimpleMessageListenerContainer> containerCustomizer() {
      return container -> customized = true;
    }

    @Bean
    ObservationRegistry observationRegistry() {
      ObservationRegistry registry = TestObservationRegistry.create();
      registry.observationConfig().observationHandler(new Tracer());
      return registry;
    }

    @Bean
    MeterRegistry meterRegistry() {
      return new SimpleMeterRegistry();
    }

    @RabbitListener(queues = "starter-customized")
    void handle(Message message) {
      traces.add(String.valueOf(message.getMessageProperties().getHeaders().get(Tracer.HEADER)));
      attempts.add(++attempt);
      if (attempt < 3) {
        throw new IllegalStateException("not yet");
      }
    }
  }

  /** Adds a header to what is sent, as those of Micrometer do. */
  private static final class Tracer implements ObservationHandler<SenderContext<Object>> {
    static final String HEADER = "traceparent";
    static final String CONTEXT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @Override
    public void onStart(SenderContext<Object> context) {
      context.getSetter().set(context.getCarrier(), HEADER, CONTEXT);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return context instanceof SenderContext;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Transacted {
    @Bean
    static BeanPostProcessor transacting() {
      return new BeanPostProcessor() {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
          if (bean instanceof RabbitTemplate template) {
            template.setChannelTransacted(true);
          }
          return bean;
        }
      };
    }

    @Bean
    Queue queue() {
      return new Queue("starter-transacted");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnConnections {
    @Bean
    CachingConnectionFactory mine() {
      return new CachingConnectionFactory(BROKER.connectionFactory());
    }
  }

  /** The address goes before the host and port, at which there is nobody. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnAddresses {
    @Bean
    CachingConnectionFactory mine() {
      com.rabbitmq.client.ConnectionFactory broker = BROKER.connectionFactory();
      String address = broker.getHost() + ":" + broker.getPort();
      broker.setPort(1);
      CachingConnectionFactory mine = new CachingConnectionFactory(broker);
      mine.setAddresses(address);
      return mine;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnResolver {
    @Bean
    CachingConnectionFactory mine() {
      com.rabbitmq.client.ConnectionFactory broker = BROKER.connectionFactory();
      Address address = new Address(broker.getHost(), broker.getPort());
      broker.setPort(1);
      CachingConnectionFactory mine = new CachingConnectionFactory(broker);
      mine.setAddressResolver(() -> List.of(address));
      return mine;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OnDemand {
    @Bean
    Queue queue() {
      return new Queue("starter-on-demand");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnTemplate {
    @Bean
    RabbitTemplate mine(
        org.springframework.amqp.rabbit.connection.ConnectionFactory connectionFactory) {
      return new RabbitTemplate(connectionFactory);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnPublisher {
    @Bean(destroyMethod = "close")
    DelayedPublisher mine(DelayRoutes routes) {
      return DelayedPublisher.builder(BROKER.connectionFactory()).routes(routes).build();
    }
  }
}
