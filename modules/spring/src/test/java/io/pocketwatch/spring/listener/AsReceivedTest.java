// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.Headers;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.core.PriorityOrdered;

/** What a container's post-processors change is kept as it came, by one that goes before them. */
class AsReceivedTest {
  @Test
  void what_others_change_stays_as_it_came() {
    Message message = message(Copies.untracked("17", Instant.EPOCH, Map.of()).getHeaders());
    message.getMessageProperties().setMessageId("as sent");
    Message changed = processed(message, container(new Changing()));

    assertThat(changed.getBody()).isEqualTo(new byte[] {9});
    Delivery kept = Wire.delivery(changed);
    assertThat(kept.getBody()).isEqualTo(new byte[] {1, 2});
    assertThat(kept.getProperties().getMessageId()).isEqualTo("as sent");
    assertThat(kept.getProperties().getHeaders())
        .containsEntry(Headers.ID, "17")
        .doesNotContainKeys("changed", AsReceived.HEADER);
    assertThat(ReceivedDelays.cleanCopy(changed, "pocketwatch", null).getMessageProperties())
        .satisfies(clean -> assertThat(clean.getHeaders()).doesNotContainKey(AsReceived.HEADER));
  }

  @Test
  void what_is_not_ours_is_left_alone() {
    Message changed = processed(message(Map.of("color", "red")), container(new Changing()));

    assertThat(AsReceived.of(changed)).isNull();
    assertThat(changed.getMessageProperties().getHeaders()).containsOnlyKeys("color", "changed");
  }

  @Test
  void containers_of_a_factory_keep_it_before_whatever_comes_first() {
    Changing first = new Changing();
    SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
    factory.setAfterReceivePostProcessors(first, message -> message);
    AsReceived.keepIn(factory);
    AsReceived.keepIn(factory);
    AbstractMessageListenerContainer made = factory.createListenerContainer();

    Collection<MessagePostProcessor> all = Protected.afterReceive(made);
    assertThat(all).hasSize(3);
    assertThat(all).element(0).isInstanceOf(AsReceived.class);
    assertThat(all).element(1).isSameAs(first);
  }

  @Test
  void without_post_processors_there_is_nothing_to_keep() {
    SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
    AsReceived.keepIn(factory);

    assertThat(Protected.afterReceive(factory.createListenerContainer())).isEmpty();
    assertThat(Protected.afterReceive(container())).isEmpty();
  }

  private static AbstractMessageListenerContainer container(MessagePostProcessor... all) {
    AbstractMessageListenerContainer container = new DirectMessageListenerContainer();
    if (all.length > 0) {
      container.setAfterReceivePostProcessors(all);
    }
    AsReceived.keepIn(container);
    return container;
  }

  private static Message message(Map<String, Object> headers) {
    MessageProperties properties = new MessageProperties();
    headers.forEach(properties::setHeader);
    return new Message(new byte[] {1, 2}, properties);
  }

  /** As its container does. */
  private static Message processed(Message received, AbstractMessageListenerContainer container) {
    Message message = received;
    for (MessagePostProcessor each : Protected.afterReceive(container)) {
      message = each.postProcessMessage(message);
    }
    return message;
  }

  /** In place, and by another body; would go before all others. */
  private static final class Changing implements MessagePostProcessor, PriorityOrdered {
    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE;
    }

    @Override
    public Message postProcessMessage(Message message) {
      message.getBody()[0] = 0;
      message.getMessageProperties().setMessageId("changed");
      message.getMessageProperties().setHeader("changed", true);
      return new Message(new byte[] {9}, message.getMessageProperties());
    }
  }
}
