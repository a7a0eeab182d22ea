// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.pocketwatch.Headers;
import io.pocketwatch.guard.GuardOptions;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;

/** What was never delayed goes past all that is done for what was. */
class PassingTest {
  private final AtomicInteger looked = new AtomicInteger();
  private final Containers containers =
      new Containers(
          () -> {
            looked.incrementAndGet();
            return List.of();
          });
  private final Desk desk = new Desk(() -> null, GuardOptions.defaults(), containers);
  private final Channel channel =
      (Channel)
          Proxy.newProxyInstance(
              PassingTest.class.getClassLoader(),
              new Class<?>[] {Channel.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                  });

  private static final Message OTHERS =
      MessageBuilder.withBody(new byte[1]).setHeader("color", "red").build();
  private static final Message OURS =
      MessageBuilder.withBody(new byte[1]).setHeader(Headers.ID, "1").build();

  @Test
  void a_message_of_others_passes_and_no_container_is_looked_for() {
    assertThat(desk.letsPass(channel, List.of(OTHERS))).isTrue();
    assertThat(desk.letsPass(channel, List.of(OTHERS, OTHERS))).isTrue();
    assertThat(looked).hasValue(0);
  }

  @Test
  void one_that_was_delayed_does_not_nor_its_batch() {
    assertThat(desk.letsPass(channel, List.of(OURS))).isFalse();
    assertThat(desk.letsPass(channel, List.of(OTHERS, OURS))).isFalse();
  }
}
