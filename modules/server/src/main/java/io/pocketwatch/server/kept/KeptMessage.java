// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.kept;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.rows.HeldAgain;
import io.pocketwatch.server.broker.TolerantConnection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One that waits.
 *
 * @param id null if it has none
 * @param attempts how often it was tried
 * @param reason why it is there, or null if nobody wrote that into it
 */
public record KeptMessage(@Nullable String id, int attempts, @Nullable String reason) {
  static KeptMessage of(BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    Object reason = headers == null ? null : headers.get(KeptQueue.REASON);
    if (reason == null && headers != null) {
      reason = headers.get(TolerantConnection.UNREADABLE);
    }
    return new KeptMessage(
        Headers.id(properties),
        HeldAgain.attempts(properties) + 1,
        reason == null ? null : reason.toString());
  }
}
