// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.rows.RowCodec;
import io.pocketwatch.store.StoredMessage;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The properties, headers and body of a stored message, for JSON. */
final class MessageContent {
  private static final int PERSISTENT = 2;

  private MessageContent() {}

  /** The body is as it was sent, to the last blank: parsed and printed again it is another text. */
  public static Map<String, @Nullable Object> of(StoredMessage stored, DelayRoutes routes) {
    BasicProperties properties = properties(stored, routes);
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("contentType", properties.getContentType());
    json.put("headers", headers(properties.getHeaders()));
    json.put("messageId", properties.getMessageId());
    json.put("correlationId", properties.getCorrelationId());
    json.put("replyTo", properties.getReplyTo());
    json.put("priority", properties.getPriority());
    json.put("persistent", Integer.valueOf(PERSISTENT).equals(properties.getDeliveryMode()));
    byte[] body = stored.message().body();
    try {
      json.put(
          "bodyText", StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
    } catch (CharacterCodingException e) {
      json.put("bodyBase64", Base64.getEncoder().encodeToString(body));
    }
    return json;
  }

  private static BasicProperties properties(StoredMessage stored, DelayRoutes routes) {
    try {
      return RowCodec.read(stored, routes).message().properties();
    } catch (InvalidMessageException e) { // a fault of our row, not of the request
      throw new IllegalStateException("a row of the store is no message: " + stored.key(), e);
    }
  }

  private static Map<String, @Nullable Object> headers(@Nullable Map<String, Object> headers) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    if (headers != null) {
      headers.forEach((name, value) -> json.put(name, header(value)));
    }
    return json;
  }

  private static @Nullable Object header(@Nullable Object value) {
    if (value instanceof LongString text) {
      return text.toString();
    }
    if (value instanceof Date date) {
      return date.toInstant().toString();
    }
    if (value instanceof byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> json = new ArrayList<>();
      list.forEach(each -> json.add(header(each)));
      return json;
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      map.forEach((name, each) -> json.put(String.valueOf(name), header(each)));
      return json;
    }
    return value;
  }
}
