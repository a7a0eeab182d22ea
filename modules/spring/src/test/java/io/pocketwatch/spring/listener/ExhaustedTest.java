// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** Which messages of a channel have waited already, while one before them did. */
class ExhaustedTest {
  private static final int PREFETCH = 10;

  private final Exhausted exhausted = new Exhausted();
  private final Channel channel = channel();

  @Test
  void what_was_sent_ahead_has_waited_with_the_one_that_waited() {
    assertThat(exhausted.hasWaited(channel, 5)).isFalse();
    exhausted.waited(channel, 5, PREFETCH);
    assertThat(exhausted.hasWaited(channel, 14)).isTrue();
    assertThat(exhausted.hasWaited(channel, 15)).isFalse();
    assertThat(exhausted.hasWaited(channel(), 6)).as("another channel").isFalse();
  }

  @Test
  void what_was_returned_since_has_not_until_another_one_waits() {
    exhausted.returns(channel, "nobody waits");
    exhausted.waited(channel, 5, PREFETCH);
    exhausted.returns(channel, "17");
    assertThat(exhausted.cameBack(channel, "17")).isTrue();
    assertThat(exhausted.cameBack(channel, "18")).isFalse();
    assertThat(exhausted.cameBack(channel, "nobody waits")).isFalse();
    exhausted.gaveUp(channel, 6, PREFETCH);
    assertThat(exhausted.cameBack(channel, "17")).as("6 did not wait itself").isTrue();

    exhausted.waited(channel, 7, PREFETCH);
    assertThat(exhausted.cameBack(channel, "17")).isFalse();
    assertThat(exhausted.hasWaited(channel, 16)).isTrue();
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
