// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Whatever makes the container, its listener is guarded, and what the user configured stays. */
@Timeout(120)
@Tag("wide")
class ContainersIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
  private ListenerWorld world;

  @BeforeEach
  void open() throws Exception {
    world = new ListenerWorld(broker::connectionFactory);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  private static String body(Message message) {
    return new String(message.getBody(), StandardCharsets.UTF_8);
  }

  /** Counts, and calls on. */
  private static final class Counting implements MethodInterceptor {
    final AtomicInteger calls = new AtomicInteger();

    @Override
    public Object invoke(MethodInvocation invocation) throws Throwable {
      calls.incrementAndGet();
      return invocation.proceed();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void containers_that_are_beans_are_guarded_and_keep_their_advices(boolean simple)
      throws Exception {
    Counting counting = new Counting();
    AbstractMessageListenerContainer container =
        simple
            ? new SimpleMessageListenerContainer(world.springs)
            : new DirectMessageListenerContainer(world.springs);
    container.setQueueNames(world.queue);
    container.setAdviceChain(counting);
    container.setMessageListener((MessageListener) message -> bodies.add(body(message)));
    MessageKey cancelled = world.held("cancelled");
    world.store.cancel(cancelled);
    MessageKey key = world.held("work");
    AnnotationConfigApplicationContext context = world.context(world.guard);
    ListenerWorld.register(context, "container", container);
    context.refresh();

    assertThat(ListenerWorld.next(bodies)).isEqualTo("work");
    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    assertThat(bodies).isEmpty();
    assertThat(counting.calls).hasValue(1);
  }

  @Test
  void a_factory_keeps_its_advices_and_its_customizer() throws Exception {
    Counting counting = new Counting();
    AtomicInteger customized = new AtomicInteger();
    world.simple(
        new Listening(),
        factory -> {
          factory.setAdviceChain(counting);
          factory.setContainerCustomizer(container -> customized.incrementAndGet());
        });
    MessageKey key = world.held("work");

    world.awaitState(key, MessageState.SETTLED);
    assertThat(counting.calls).hasValue(1);
    assertThat(customized).hasValue(1);
  }

  private final class Listening {
    @RabbitListener(queues = "${queue}")
    void handle(Message message) {
      bodies.add(body(message));
    }
  }

  private final class ListeningToBoth {
    @RabbitListener(queues = {"${queue}", "${queue}.second"})
    void handle(Message message) {
      bodies.add(message.getMessageProperties().getConsumerQueue());
    }
  }

  /** Its message belongs to one of them, whichever comes first. */
  @Test
  void a_second_queue_of_a_fanout_keeps_its_messages() throws Exception {
    String second = world.queue + ".second";
    world.declare(second, Map.of());
    world.exchange(world.queue + ".both", world.queue, second);
    world.simple(new ListeningToBoth(), factory -> {});
    MessageKey key =
        world.held(
            DelayedMessage.to(world.queue + ".both", "")
                .route("direct")
                .body("both".getBytes())
                .delay(ListenerWorld.SHORT));

    world.awaitState(key, MessageState.SETTLED);
    Awaitility.await().until(() -> world.guard.stopped().size() == 1);
    String stopped = world.guard.stopped().get(0).consumer();
    world.awaitWaiting(stopped, 1);
    assertThat(bodies).doesNotContain(stopped).hasSize(1);
  }

  private final class ListeningTwice {
    @RabbitListener(queues = "${queue}")
    void one(Message message) {
      bodies.add(body(message));
    }

    @RabbitListener(queues = "${queue}")
    void other(Message message) {
      bodies.add(body(message));
    }
  }

  @Test
  void two_containers_of_one_queue_are_one_consumer() throws Exception {
    world.simple(new ListeningTwice(), factory -> {});
    MessageKey key = world.held("once");
    world.awaitState(key, MessageState.SETTLED);
    for (int copy = 0; copy < 4; copy++) {
      world.copy(world.queue, key);
    }
    world.awaitWaiting(world.queue, 0);
    assertThat(bodies).containsExactly("once");
  }

  private final class ListeningInTwoWays {
    @RabbitListener(queues = "${queue}")
    void one(Message message) {}

    @RabbitListener(queues = "${queue}", ackMode = "MANUAL")
    void other(Message message) {}
  }

  static class ListeningWhereNothingCanBeSettled {
    @RabbitListener(queues = "ends with a blank ")
    void handle(Message message) {}
  }

  @Test
  void a_queue_whose_name_no_store_keeps_is_not_consumed() {
    assertThatThrownBy(() -> world.simple(new ListeningWhereNothingCanBeSettled(), factory -> {}))
        .rootCause()
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'ends with a blank '");
  }

  @Test
  void without_a_guard_they_acknowledge_as_they_like() throws Exception {
    SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
    world.start(new BothHandling(), factory, null);
    for (String body : List.of("one", "two", "three", "four")) {
      world.channel.basicPublish("", world.queue, null, body.getBytes());
    }
    for (int message = 0; message < 4; message++) {
      ListenerWorld.next(bodies);
    }
    world.awaitWaiting(world.queue, 0);
  }

  private final class BothHandling {
    @RabbitListener(queues = "${queue}")
    void one(Message message) {
      bodies.add(body(message));
    }

    @RabbitListener(queues = "${queue}", ackMode = "MANUAL")
    void other(Message message, Channel channel) throws IOException {
      bodies.add(body(message));
      channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
    }
  }

  @Test
  void by_their_connection_factories_it_is_told_which_of_them_a_message_came_to() throws Exception {
    CachingConnectionFactory elsewhere =
        new CachingConnectionFactory(world.springs.getRabbitConnectionFactory());
    CountDownLatch both = new CountDownLatch(2);
    SimpleMessageListenerContainer auto = new SimpleMessageListenerContainer(world.springs);
    auto.setQueueNames(world.queue);
    auto.setMessageListener(
        (MessageListener)
            message -> {
              bodies.add("auto");
              both.countDown();
              await(both);
            });
    SimpleMessageListenerContainer manual = new SimpleMessageListenerContainer(elsewhere);
    manual.setQueueNames(world.queue);
    manual.setAcknowledgeMode(AcknowledgeMode.MANUAL);
    manual.setMessageListener(
        (ChannelAwareMessageListener)
            (message, channel) -> {
              bodies.add("manual");
              both.countDown();
              await(both);
              channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
            });
    List.of(auto, manual).forEach(each -> each.setPrefetchCount(1));
    AnnotationConfigApplicationContext context = world.context(world.guard);
    ListenerWorld.register(context, "auto", auto);
    ListenerWorld.register(context, "manual", manual);
    context.refresh();
    MessageKey one = world.held("one");
    MessageKey other = world.held("other");

    world.awaitState(one, MessageState.SETTLED);
    world.awaitState(other, MessageState.SETTLED);
    assertThat(bodies).containsExactlyInAnyOrder("auto", "manual");
    context.close();
    world.awaitWaiting(world.queue, 0);
    elsewhere.destroy();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private final class Unacknowledging {
    @RabbitListener(queues = "${queue}.third", ackMode = "NONE")
    void handle(Message message) {
      bodies.add(body(message));
    }
  }

  @Test
  void a_tracked_message_that_nobody_acknowledges_is_refused_and_has_failed() throws Exception {
    String third = world.queue + ".third";
    world.declare(third, Map.of());
    world.channel.queueBind(third, world.queue + ".fan", "");
    world.simple(new Unacknowledging(), factory -> {});
    MessageKey key =
        world.held(
            DelayedMessage.to(world.queue + ".fan", "")
                .body("refused".getBytes())
                .delay(ListenerWorld.SHORT));

    world.awaitState(key, MessageState.FAILED);
    assertThat(world.find(key).reason()).contains("automatic acknowledgement");
    assertThat(bodies).isEmpty();
  }

  @Test
  void one_that_a_factory_makes_for_the_users_own_hands_is_guarded_too() throws Exception {
    SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
    factory.setConnectionFactory(world.springs);
    AnnotationConfigApplicationContext context = world.context(world.guard);
    ListenerWorld.register(context, "rabbitListenerContainerFactory", factory);
    context.refresh();
    MessageKey key = world.held("tracked");
    world.awaitWaiting(world.queue, 1);
    world.channel.basicPublish("", world.queue, null, "untracked".getBytes());
    SimpleMessageListenerContainer container = factory.createListenerContainer();
    container.setQueueNames(world.queue);
    container.setMessageListener((MessageListener) message -> bodies.add(body(message)));
    container.afterPropertiesSet();
    container.start();

    assertThat(List.of(ListenerWorld.next(bodies), ListenerWorld.next(bodies)))
        .containsExactlyInAnyOrder("tracked", "untracked");
    world.awaitState(key, MessageState.SETTLED);
    container.stop();
    world.awaitWaiting(world.queue, 0);
  }

  @Test
  void replies_to_a_template_are_not_work() throws Exception {
    world.declare(world.queue + ".replies", Map.of());
    RabbitTemplate template = new RabbitTemplate(world.springs);
    template.setReplyAddress(world.queue + ".replies");
    template.setReplyTimeout(10_000);
    SimpleMessageListenerContainer replies = new SimpleMessageListenerContainer(world.springs);
    replies.setQueueNames(world.queue + ".replies");
    replies.setMessageListener(template);
    AnnotationConfigApplicationContext context = world.context(world.guard);
    SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
    factory.setConnectionFactory(world.springs);
    ListenerWorld.register(context, "rabbitListenerContainerFactory", factory);
    ListenerWorld.register(context, "replies", replies);
    ListenerWorld.register(context, "listener", new Answering());
    context.refresh();

    assertThat(template.convertSendAndReceive("", world.queue, "hello")).isEqualTo("HELLO");
    assertThat(ContainerSettings.adviceChain(replies)).isEmpty();
  }

  private static final class Answering {
    @RabbitListener(queues = "${queue}")
    String handle(String body) {
      return body.toUpperCase(Locale.ROOT);
    }
  }

  @Test
  void a_transacted_container_that_gets_a_tracked_message_all_the_same_stops_and_gives_it_back()
      throws Exception {
    String elsewhere = world.queue + ".elsewhere";
    world.declare(elsewhere, Map.of());
    MessageKey key = world.held("work");
    BlockingQueue<String> handled = new LinkedBlockingQueue<>();
    SimpleMessageListenerContainer container = new SimpleMessageListenerContainer();
    container.setConnectionFactory(world.springs);
    container.setQueueNames(elsewhere);
    container.setChannelTransacted(true);
    container.setMessageListener(message -> handled.add(new String(message.getBody())));
    try (AnnotationConfigApplicationContext context = world.context(world.guard)) {
      ListenerWorld.register(context, "container", container);
      context.refresh();
      world.channel.basicPublish("", elsewhere, null, "undelayed".getBytes());
      assertThat(ListenerWorld.next(handled)).isEqualTo("undelayed");

      world.copy(elsewhere, key);

      Awaitility.await().until(() -> !container.isRunning());
      world.awaitWaiting(elsewhere, 1);
      assertThat(handled).isEmpty();
    }
  }
}
