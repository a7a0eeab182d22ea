// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.support.DefaultMessagePropertiesConverter;

/** A received message as the broker delivered it, from what Spring's conversion leaves of it. */
final class Wire {
  private static final DefaultMessagePropertiesConverter CONVERTER =
      new DefaultMessagePropertiesConverter();

  private Wire() {}

  /** What a decision needs: the headers. */
  static BasicProperties headers(Message message) {
    return new BasicProperties.Builder()
        .headers(message.getMessageProperties().getHeaders())
        .build();
  }

  /** All of it, to be published once more; as it came, if that was kept. */
  static Delivery delivery(Message message) {
    Delivery kept = AsReceived.of(message);
    if (kept != null) {
      return kept;
    }
    MessageProperties received = message.getMessageProperties();
    Envelope envelope =
        new Envelope(
            received.getDeliveryTag(),
            Boolean.TRUE.equals(received.getRedelivered()),
            String.valueOf(received.getReceivedExchange()),
            String.valueOf(received.getReceivedRoutingKey()));
    return new Delivery(envelope, properties(received), message.getBody());
  }

  private static BasicProperties properties(MessageProperties received) {
    BasicProperties converted =
        CONVERTER.fromMessageProperties(received, StandardCharsets.UTF_8.name());
    Map<String, @Nullable Object> headers = new HashMap<>(converted.getHeaders());
    Long delay = received.getReceivedDelayLong();
    if (delay != null) {
      headers.put(MessageProperties.X_DELAY, -delay); // waited for, as the plugin says it
    }
    MessageDeliveryMode mode = received.getReceivedDeliveryMode();
    return converted
        .builder()
        .headers(headers)
        .userId(received.getReceivedUserId())
        .deliveryMode(mode == null ? null : MessageDeliveryMode.toInt(mode))
        .build();
  }
}
