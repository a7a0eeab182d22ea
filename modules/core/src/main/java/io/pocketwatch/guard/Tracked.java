// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import io.pocketwatch.store.MessageKey;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a copy says of its row.
 *
 * @param key which row
 * @param generation of which version of it
 */
public record Tracked(MessageKey key, int generation) {
  private static final int LONGEST_NAME = 255;

  /** Null if it has no row to match. */
  public static @Nullable Tracked of(BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    if (headers == null
        || headers.get(Headers.ID) == null
        || headers.get(Headers.ROUTE) == null
        || !(headers.get(Headers.GENERATION) instanceof Number generation)) {
      return null;
    }
    MessageKey key =
        new MessageKey(headers.get(Headers.ROUTE).toString(), headers.get(Headers.ID).toString());
    return isName(key.route()) && isName(key.id()) ? new Tracked(key, generation.intValue()) : null;
  }

  /** Whether anything of ours can have that name; longer ones would fill memory and logs. */
  static boolean isName(String text) {
    return text.length() <= LONGEST_NAME;
  }

  /** Null if it was never delayed. */
  public static @Nullable Instant deliverAt(BasicProperties properties) {
    return properties.getHeaders() != null
            && properties.getHeaders().get(Headers.DELIVER_AT) instanceof Number millis
        ? Instant.ofEpochMilli(millis.longValue())
        : null;
  }
}
