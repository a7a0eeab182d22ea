// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.pocketwatch.Headers;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;

/** Which messages of a channel have waited already, while one before them did. */
class ExhaustedTest {
  private static final String QUEUE = "work";
  private static final int PREFETCH = 10;

  private final Exhausted exhausted = new Exhausted();
  private final Channel channel = channel();

  @Test
  void what_was_sent_ahead_has_waited_with_the_one_that_waited() {
    assertThat(exhausted.hasWaited(channel, QUEUE, message(5, "a"))).isFalse();
    exhausted.waited(channel, message(5, "a"), PREFETCH);
    assertThat(exhausted.hasWaited(channel, QUEUE, message(14, "b"))).isTrue();
    assertThat(exhausted.hasWaited(channel, QUEUE, message(15, "c"))).isFalse();
    assertThat(exhausted.hasWaited(channel(), QUEUE, message(6, "d")))
        .as("another channel")
        .isFalse();
  }

  @Test
  void what_was_returned_since_has_not_until_another_one_waits() {
    exhausted.returns(QUEUE, message(4, "before"));
    exhausted.waited(channel, message(5, "a"), PREFETCH);
    exhausted.returns(QUEUE, message(5, "a"));
    assertThat(exhausted.hasWaited(channel, QUEUE, message(6, "a"))).isFalse();
    assertThat(exhausted.hasWaited(channel, QUEUE, message(7, "b"))).isTrue();
    assertThat(exhausted.hasWaited(channel, QUEUE, message(8, "before"))).isTrue();
    assertThat(exhausted.hasWaited(channel, "other", message(9, "a")))
        .as("another queue's copy")
        .isTrue();

    exhausted.waited(channel, message(7, "b"), PREFETCH);
    assertThat(exhausted.hasWaited(channel, QUEUE, message(16, "a"))).isTrue();
  }

  /** Any consumer of the queue may be sent it again. */
  @Test
  void what_was_returned_through_another_channel_has_not() {
    Channel other = channel();
    exhausted.waited(channel, message(5, "a"), PREFETCH);
    exhausted.waited(other, message(5, "b"), PREFETCH);
    exhausted.returns(QUEUE, message(5, "b"));
    assertThat(exhausted.hasWaited(channel, QUEUE, message(6, "b"))).isFalse();
  }

  private static Message message(long tag, String id) {
    MessageProperties properties = new MessageProperties();
    properties.setDeliveryTag(tag);
    properties.setHeader(Headers.ID, id);
    return new Message(new byte[1], properties);
  }

  private static Channel channel() {
    return (Channel)
        Proxy.newProxyInstance(
            ExhaustedTest.class.getClassLoader(),
            new Class<?>[] {Channel.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> proxy == arguments[0];
                  default -> throw new AssertionError(method.getName());
                });
  }
}
