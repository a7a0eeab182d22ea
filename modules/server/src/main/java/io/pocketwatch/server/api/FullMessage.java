// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.util.RawValue;
import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.plan.StoredForm;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.store.StoredMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
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
    json.putAll(body(stored.message().body(), properties.getContentType()));
    return json;
  }

  private static BasicProperties properties(StoredMessage stored, DelayRoutes routes) {
    try {
      return StoredForm.read(stored, routes).message().properties();
    } catch (InvalidMessageException e) { // not what was asked for is wrong, but our row
      throw new IllegalStateException("a row of the store is no message: " + stored.key(), e);
    }
  }

  /** As it is, and not as what a parser makes of it: numbers keep their digits. */
  private static String jsonText(byte[] body) throws IOException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    try (JsonParser parser = Answers.MAPPER.getFactory().createParser(text)) {
      if (parser.nextToken() == null) {
        throw new JsonParseException(parser, "there is no value");
      }
      parser.skipChildren();
      if (parser.nextToken() != null) {
        throw new JsonParseException(parser, "there is more than one value");
      }
    }
    return text;
  }

  private static Map<String, Object> body(byte[] body, @Nullable String contentType) {
    Map<String, Object> json = new LinkedHashMap<>();
    if (contentType != null && contentType.matches("(?i)application/([\\w.+-]+\\+)?json\\b.*")) {
      try {
        json.put("body", new RawValue(jsonText(body)));
        return json;
      } catch (IOException e) {
        // not what it says it is
      }
    }
    try {
      json.put(
          "bodyText", StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
    } catch (CharacterCodingException e) {
      json.put("bodyBase64", Base64.getEncoder().encodeToString(body));
    }
    return json;
  }
}
