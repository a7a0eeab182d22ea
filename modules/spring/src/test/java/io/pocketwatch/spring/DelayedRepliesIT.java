// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.testkit.BrokerExtension;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerEndpoint;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.adapter.MessageListenerAdapter;

/** Listeners that return a message with a delay, which their container would send at once. */
@Tag("wide")
class DelayedRepliesIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private final ReplyDelayRefusal refusing = new ReplyDelayRefusal();
  private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
  private SpringWorld world;
  private RabbitTemplate template;
  private String requests;
  private String replies;
  private AbstractMessageListenerContainer container;

  @BeforeEach
  void open() {
    world = new SpringWorld(BROKER.connectionFactory());
    template = new RabbitTemplate(world.connections);
    requests = world.queue("requests");
    replies = world.queue("replies");
  }

  @AfterEach
  void close() throws Exception {
    container.stop();
    world.close();
  }

  @Test
  void a_container_of_a_factory_refuses_it_and_says_how_to_do_it() throws Exception {
    SimpleRabbitListenerContainerFactory factory = factory();
    factory.setBeforeSendReplyPostProcessors(reply -> marked(reply));
    refusing.postProcessAfterInitialization(factory, "factory");
    listen(factory);

    request("5000");
    assertRefused();
    request("");
    Message reply = template.receive(replies, 5_000);
    assertThat(reply).isNotNull();
    assertThat(reply.getMessageProperties().getHeaders())
        .as("by the application's own post-processor")
        .containsEntry("marked", true);
  }

  @Test
  void so_does_a_container_that_is_a_bean() throws Exception {
    SimpleMessageListenerContainer bean = new SimpleMessageListenerContainer(world.connections);
    bean.setQueueNames(requests);
    bean.setMessageListener(new MessageListenerAdapter(new Echo()));
    refusing.postProcessAfterInitialization(bean, "container");
    start(bean);

    request("5000");
    assertRefused();
    request("-5000"); // as the plugin leaves it: waited for
    assertThat(template.receive(replies, 5_000)).isNotNull();
  }

  private SimpleRabbitListenerContainerFactory factory() {
    SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
    factory.setConnectionFactory(world.connections);
    return factory;
  }

  private void listen(SimpleRabbitListenerContainerFactory factory) {
    SimpleRabbitListenerEndpoint endpoint = new SimpleRabbitListenerEndpoint();
    endpoint.setId("echo");
    endpoint.setQueueNames(requests);
    endpoint.setMessageListener(new MessageListenerAdapter(new Echo()));
    start(factory.createListenerContainer(endpoint));
  }

  private void start(AbstractMessageListenerContainer created) {
    container = created;
    container.setDefaultRequeueRejected(false);
    container.setErrorHandler(failures::add);
    container.afterPropertiesSet();
    container.start();
  }

  private void request(String xDelay) {
    template.send(
        "", requests, MessageBuilder.withBody(xDelay.getBytes()).setReplyTo(replies).build());
  }

  private void assertRefused() throws InterruptedException {
    Throwable failure = failures.poll(5, TimeUnit.SECONDS);
    assertThat(failure)
        .hasRootCauseInstanceOf(DelayedSendException.class)
        .hasStackTraceContaining("Return nothing, and send it by a DelayedRabbitTemplate");
    assertThat(template.receive(replies, 300)).isNull();
  }

  private static Message marked(Message reply) {
    reply.getMessageProperties().setHeader("marked", true);
    return reply;
  }

  /** Replies with the delay that the request names. */
  static final class Echo {
    public Message handleMessage(byte[] request) {
      MessageBuilder reply = MessageBuilder.withBody(request);
      return request.length == 0
          ? reply.build()
          : reply.setHeader("x-delay", Long.valueOf(new String(request))).build();
    }
  }
}
