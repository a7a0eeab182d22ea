// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import io.pocketwatch.store.MessageKey;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a copy says of its row.
 *
 * @param key which row
 * @param generation of which version of it
 */
public record RowReference(MessageKey key, int generation) {
  private static final int LONGEST_NAME = 255;

  /** Of a copy that does not say its generation. */
  private static final Integer FIRST = 1;

  /** Null if it has no row to match. */
  public static @Nullable RowReference of(BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    String id = Headers.id(properties);
    if (headers == null || id == null || headers.get(Headers.ROUTE) == null) {
      return null;
    }
    Object generation = headers.getOrDefault(Headers.GENERATION, FIRST);
    String route = headers.get(Headers.ROUTE).toString();
    return isName(route) && isName(id) && generation instanceof Number number
        ? new RowReference(new MessageKey(route, id), number.intValue())
        : null;
  }

  /** Whether anything of ours can have that name; longer ones would fill memory and logs. */
  static boolean isName(String text) {
    return text.length() <= LONGEST_NAME;
  }
}
