// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.pocketwatch.Headers;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.AmqpIOException;
import org.springframework.amqp.core.Address;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.core.retry.RetryTemplate;

/** A request that the template tries again, as it does with a reply queue of its own. */
@Tag("wide")
class RequestRetryIT {
  private static final int ATTEMPTS = 3;

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @Test
  void a_request_that_is_tried_again_is_the_same_message_and_gets_its_reply() throws Exception {
    try (SpringWorld world = new SpringWorld(BROKER.connectionFactory())) {
      List<Message> received = new CopyOnWriteArrayList<>();
      String requests = world.queue("requests");
      SimpleMessageListenerContainer replier = replier(world, requests, received);
      DelayedRabbitTemplate template = lostTwice(world);
      String replies = world.queue("replies");
      template.setReplyAddress(replies);
      template.setReplyTimeout(10_000);
      template.setRetryTemplate(new RetryTemplate());
      SimpleMessageListenerContainer answers =
          new SimpleMessageListenerContainer(world.connections);
      answers.setQueueNames(replies);
      answers.setMessageListener(template);
      answers.start();
      try {
        Object reply =
            template.convertSendAndReceive(
                "", requests, "x", Delayed.delay(Duration.ofMillis(200)));
        assertThat(reply).isEqualTo("reply");
        assertThat(received).hasSize(ATTEMPTS);
        assertThat(received.stream().map(RequestRetryIT::id).distinct()).hasSize(1);
        assertThat(received.stream().map(one -> header(one, Headers.DELIVER_AT)).distinct())
            .hasSize(1);
        template.convertSendAndReceive("", requests, "y", Delayed.delay(Duration.ofMillis(200)));
        assertThat(received.stream().map(RequestRetryIT::id).distinct()).hasSize(2);
      } finally {
        answers.stop();
        replier.stop();
        template.stop();
      }
    }
  }

  private static String id(Message message) {
    return message.getMessageProperties().getMessageId();
  }

  private static Object header(Message message, String name) {
    return message.getMessageProperties().getHeader(name);
  }

  /** Its first messages are published, but it hears that they are lost. */
  private static DelayedRabbitTemplate lostTwice(SpringWorld world) {
    AtomicInteger attempts = new AtomicInteger();
    return new DelayedRabbitTemplate(world.connections, world.publisher()) {
      @Override
      protected void sendToRabbit(
          Channel channel, String exchange, String routingKey, boolean mandatory, Message message) {
        super.sendToRabbit(channel, exchange, routingKey, mandatory, message);
        if (attempts.incrementAndGet() < ATTEMPTS) {
          throw new AmqpIOException(new IOException("lost"));
        }
      }
    };
  }

  private static SimpleMessageListenerContainer replier(
      SpringWorld world, String requests, List<Message> received) {
    RabbitTemplate plain = new RabbitTemplate(world.connections);
    SimpleMessageListenerContainer replier = new SimpleMessageListenerContainer(world.connections);
    replier.setQueueNames(requests);
    replier.setMessageListener(
        request -> {
          received.add(request);
          Address replyTo = request.getMessageProperties().getReplyToAddress();
          MessageProperties reply = new MessageProperties();
          reply.setContentType("text/plain");
          reply.setCorrelationId(request.getMessageProperties().getCorrelationId());
          plain.send(
              replyTo.getExchangeName(),
              replyTo.getRoutingKey(),
              new Message("reply".getBytes(), reply));
        });
    replier.start();
    return replier;
  }
}
