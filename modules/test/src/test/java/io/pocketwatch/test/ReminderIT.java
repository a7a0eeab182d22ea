// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The test of the page testing.md. */
class ReminderIT {
  @RegisterExtension static final PocketwatchExtension pocketwatch = new PocketwatchExtension();

  @Test
  void a_reminder_comes_after_half_an_hour() throws Exception {
    try (Connection connection = pocketwatch.connectionFactory().newConnection();
        DelayedPublisher publisher =
            DelayedPublisher.builder(pocketwatch.connectionFactory()).build()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("reminders", true, false, false, null);
      TestTime time = pocketwatch.time(publisher);

      publisher.publish(DelayedMessage.toQueue("reminders").delay(ofMinutes(30))).join();

      assertThat(time.advance(ofMinutes(29))).isZero();
      assertThat(time.advance(ofMinutes(1))).as(time::waiting).isOne();
      assertThat(channel.basicGet("reminders", true)).isNotNull();
    }
  }
}
