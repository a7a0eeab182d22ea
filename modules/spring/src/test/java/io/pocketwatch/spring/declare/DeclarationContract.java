// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.testkit.BrokerExtension;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.AmqpAdmin;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.CustomExchange;
import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.ExchangeBuilder;
import org.springframework.amqp.core.FanoutExchange;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.annotation.Argument;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.Exchange;
import org.springframework.amqp.rabbit.annotation.QueueBinding;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Code written for the plugin, unchanged, on a broker that may have it or not. */
abstract class DeclarationContract {
  private static final String DELAYED = "x-delayed-message";
  private @Nullable AnnotationConfigApplicationContext context;

  abstract BrokerExtension broker();

  @AfterEach
  void close() {
    if (context != null) {
      context.close();
    }
    new PluginSwitch(broker().node()).off();
  }

  @Test
  void beans_become_what_they_are_without_the_plugin() {
    start(Beans.class).getBean(AmqpAdmin.class).initialize();

    assertThat(exchanges())
        .containsEntry("flagged", "topic [{\"alternate-exchange\",\"lost\"}]")
        .containsEntry("built", "fanout []")
        .containsEntry("custom", "headers []")
        .containsEntry("several", "direct []")
        .containsEntry("plain", "direct []");
  }

  @Test
  void a_listener_with_a_delayed_exchange_gets_its_messages() throws InterruptedException {
    var beans = start(Listener.class);

    beans.getBean(RabbitTemplate.class).convertAndSend("bound", "order.timeout", "hello");

    assertThat(beans.getBean(Listener.class).received.poll(20, TimeUnit.SECONDS))
        .isEqualTo("hello");
    assertThat(exchanges()).containsEntry("bound", "topic [{\"alternate-exchange\",\"lost\"}]");
  }

  @Test
  void direct_calls_are_served_by_the_admin_of_its_own() {
    AmqpAdmin admin = start().getBean(AmqpAdmin.class);

    admin.declareExchange(ExchangeBuilder.topicExchange("direct.call").delayed().build());
    admin.declareExchange(
        new CustomExchange(
            "direct.custom", DELAYED, true, false, Map.of("x-delayed-type", "fanout")));

    assertThat(exchanges())
        .containsEntry("direct.call", "topic []")
        .containsEntry("direct.custom", "fanout []");
  }

  @Test
  void a_broker_that_has_the_type_gets_what_is_written() {
    new PluginSwitch(broker().node()).on();

    start(Custom.class).getBean(AmqpAdmin.class).initialize();

    assertThat(exchanges()).containsEntry("kept", DELAYED + " [{\"x-delayed-type\",\"direct\"}]");
  }

  @Test
  void the_broker_is_asked_again_after_a_reconnect() {
    var beans = start(Transient.class);
    AmqpAdmin declaring = beans.getBean(AmqpAdmin.class);
    CachingConnectionFactory connections = beans.getBean(CachingConnectionFactory.class);
    declaring.initialize();
    assertThat(exchanges()).containsEntry("transient", "fanout []");
    declaring.deleteExchange("transient");

    new PluginSwitch(broker().node()).on();
    connections.resetConnection();
    declaring.initialize();

    assertThat(exchanges().get("transient")).startsWith(DELAYED);
    declaring.deleteExchange("transient");
  }

  @Test
  void rights_on_the_own_names_are_enough() {
    String host = broker().virtualHost();
    broker().node().ctl("add_user", host, "secret");
    broker().node().ctl("set_permissions", "-p", host, host, "^mine.*", "^mine.*", "^mine.*");
    try {
      var beans = start(Mine.class);
      CachingConnectionFactory connections = beans.getBean(CachingConnectionFactory.class);
      connections.setUsername(host);
      connections.setPassword("secret");
      beans.getBean(AmqpAdmin.class).initialize();
      assertThat(exchanges()).containsEntry("mine", "direct []");
      beans.getBean(AmqpAdmin.class).deleteExchange("mine");

      new PluginSwitch(broker().node()).on();
      connections.resetConnection();
      beans.getBean(AmqpAdmin.class).initialize();
      assertThat(exchanges().get("mine")).startsWith(DELAYED);
      beans.getBean(AmqpAdmin.class).deleteExchange("mine");
      connections.resetConnection();
    } finally {
      broker().node().ctl("delete_user", host);
    }
  }

  @Test
  void without_an_underlying_type_the_error_names_the_exchange() {
    RabbitAdmin declaring = start(Typeless.class).getBean(RabbitAdmin.class);

    assertThat(catchThrowable(declaring::initialize))
        .rootCause()
        .isInstanceOf(DelayedExchangeException.class)
        .hasMessageContaining("'typeless'")
        .hasMessageContaining("x-delayed-type");
  }

  @Test
  void failures_to_be_ignored_are() {
    RabbitAdmin declaring = start(Typeless.class).getBean(RabbitAdmin.class);
    declaring.setIgnoreDeclarationExceptions(true);
    ((CustomExchange) context().getBean("typeless")).setIgnoreDeclarationExceptions(true);

    declaring.initialize();

    assertThat(declaring.getLastDeclarationExceptionEvent()).isNotNull();
  }

  @Test
  void a_left_over_exchange_is_explained_with_the_command_that_recreates_it() {
    PluginSwitch plugin = new PluginSwitch(broker().node());
    plugin.on();
    start(Left.class).getBean(AmqpAdmin.class).initialize();
    close();
    assertThat(exchanges().get("left")).startsWith(DELAYED);

    var beans = start(Left.class);
    RabbitAdmin declaring = beans.getBean(RabbitAdmin.class);
    Throwable failure = catchThrowable(declaring::initialize);

    String command = "./pocketwatch migrate-exchange left --broker";
    assertThat(failure)
        .isInstanceOf(AmqpException.class)
        .cause()
        .isInstanceOf(DelayedExchangeException.class)
        .hasMessageContaining(command);
    declaring.deleteExchange("left");
    declaring.initialize();
    assertThat(exchanges()).containsEntry("left", "topic []");
    declaring.deleteExchange("left");
  }

  private AnnotationConfigApplicationContext start(Class<?>... configurations) {
    var starting = new AnnotationConfigApplicationContext();
    context = starting;
    starting.registerBean("rabbit", ConnectionFactory.class, () -> broker().connectionFactory());
    starting.register(Broker.class, Own.class);
    if (configurations.length > 0) {
      starting.register(configurations);
    }
    starting.refresh();
    return starting;
  }

  private AnnotationConfigApplicationContext context() {
    assertThat(context).isNotNull();
    return context;
  }

  private Map<String, String> exchanges() {
    String listed =
        broker()
            .node()
            .ctl("-q", "list_exchanges", "-p", broker().virtualHost(), "name", "type", "arguments");
    return listed
        .lines()
        .map(line -> line.split("\t"))
        .filter(cells -> cells.length == 3)
        .collect(Collectors.toMap(cells -> cells[0], cells -> cells[1] + " " + cells[2]));
  }

  @Configuration(proxyBeanMethods = false)
  @EnableRabbit
  static class Broker {
    @Bean
    CachingConnectionFactory connectionFactory(ConnectionFactory rabbit) {
      rabbit.setAutomaticRecoveryEnabled(false);
      return new CachingConnectionFactory(rabbit);
    }

    @Bean
    RabbitTemplate rabbitTemplate(CachingConnectionFactory connections) {
      return new RabbitTemplate(connections);
    }

    @Bean
    SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory(
        CachingConnectionFactory connections) {
      var factory = new SimpleRabbitListenerContainerFactory();
      factory.setConnectionFactory(connections);
      return factory;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Own {
    @Bean
    RabbitAdmin admin(CachingConnectionFactory connectionFactory) {
      RabbitAdmin admin = new DelayedRabbitAdmin(connectionFactory);
      admin.setRetryTemplate(null);
      return admin;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Beans {
    @Bean
    TopicExchange flagged() {
      var exchange =
          new TopicExchange("flagged", true, false, Map.of("alternate-exchange", "lost"));
      exchange.setDelayed(true);
      return exchange;
    }

    @Bean
    FanoutExchange built() {
      return ExchangeBuilder.fanoutExchange("built").delayed().build();
    }

    @Bean
    CustomExchange custom() {
      return new CustomExchange(
          "custom", DELAYED, true, false, Map.of("x-delayed-type", "headers"));
    }

    @Bean
    Declarables several() {
      DirectExchange exchange = ExchangeBuilder.directExchange("several").delayed().build();
      Queue queue = new Queue("several");
      Binding binding = BindingBuilder.bind(queue).to(exchange).with("key");
      return new Declarables(exchange, queue, binding);
    }

    @Bean
    DirectExchange plain() {
      return new DirectExchange("plain");
    }
  }

  static class Listener {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @RabbitListener(
        bindings =
            @QueueBinding(
                value = @org.springframework.amqp.rabbit.annotation.Queue("bound"),
                exchange =
                    @Exchange(
                        value = "bound",
                        type = "topic",
                        delayed = "true",
                        arguments = @Argument(name = "alternate-exchange", value = "lost")),
                key = "order.*"))
    void receive(String text) {
      received.add(text);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Custom {
    @Bean
    CustomExchange kept() {
      return new CustomExchange("kept", DELAYED, true, false, Map.of("x-delayed-type", "direct"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Transient {
    @Bean
    CustomExchange exchange() {
      return new CustomExchange(
          "transient", DELAYED, true, false, Map.of("x-delayed-type", "fanout"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Mine {
    @Bean
    DirectExchange mine() {
      return ExchangeBuilder.directExchange("mine").delayed().build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Typeless {
    @Bean
    CustomExchange typeless() {
      return new CustomExchange("typeless", DELAYED);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Left {
    @Bean
    TopicExchange left() {
      return ExchangeBuilder.topicExchange("left").delayed().build();
    }
  }
}
