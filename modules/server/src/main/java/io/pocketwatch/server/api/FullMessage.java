// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.core.type.TypeReference;
import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.plan.StoredForm;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.store.StoredMessage;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A stored message with its properties and body. */
final class FullMessage {
  private static final int PERSISTENT = 2;

  private FullMessage() {}

  static Map<String, @Nullable Object> of(StoredMessage stored, DelayRoutes routes) {
    Map<String, @Nullable Object> json =
        Answers.MAPPER.convertValue(MessageView.of(stored), new TypeReference<>() {});
    BasicProperties properties = properties(stored, routes);
    json.put("contentType", properties.getContentType());
    json.put("headers", HeaderValues.toJson(properties.getHeaders()));
    json.put("messageId", properties.getMessageId());
    json.put("correlationId", properties.getCorrelationId());
    json.put("replyTo", properties.getReplyTo());
    json.put("priority", properties.getPriority());
    json.put("persistent", Integer.valueOf(PERSISTENT).equals(properties.getDeliveryMode()));
    json.putAll(body(stored.message().body()));
    return json;
  }

  private static BasicProperties properties(StoredMessage stored, DelayRoutes routes) {
    try {
      return StoredForm.read(stored, routes).message().properties();
    } catch (InvalidMessageException e) { // not what was asked for is wrong, but our row
      throw new IllegalStateException("a row of the store is no message: " + stored.key(), e);
    }
  }

  /** As it was sent, to the last blank: what is parsed and printed again is another text. */
  private static Map<String, Object> body(byte[] body) {
    try {
      return Map.of(
          "bodyText", StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
    } catch (CharacterCodingException e) {
      return Map.of("bodyBase64", Base64.getEncoder().encodeToString(body));
    }
  }
}
