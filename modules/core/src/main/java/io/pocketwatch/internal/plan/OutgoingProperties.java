// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the properties to publish from the caller's, which are not changed. */
final class OutgoingProperties {
  private OutgoingProperties() {}

  static BasicProperties properties(
      Submission submission, RoutingKeys keys, HoldPath path, boolean held) {
    BasicProperties original = submission.message().properties();
    Map<String, @Nullable Object> headers = new LinkedHashMap<>();
    if (original.getHeaders() != null) {
      original
          .getHeaders()
          .forEach(
              (name, value) -> {
                boolean ours = name.startsWith(Headers.PREFIX);
                if (ours
                    ? submission.heldAgain() || isOfSchedule(name, submission)
                    : !leftByDeadLettering(name)) {
                  headers.put(name, value);
                }
              });
    }
    String messageId = original.getMessageId();
    if (!submission.heldAgain()) {
      messageId = messageId == null ? submission.id() : messageId;
      if (!messageId.equals(submission.id())) {
        headers.put(Headers.ID, submission.id());
      }
      boolean inBrokersHeader = path.expiresAfter() != null;
      if (submission.timed() && !inBrokersHeader) {
        headers.put(Headers.DELIVER_AT, submission.deliverAt().toEpochMilli());
      }
      if (held) {
        headers.put(Headers.EXCHANGE, submission.message().exchange());
      }
      if (submission.generation() > 0) {
        headers.put(Headers.ROUTE, submission.route().name());
      }
      if (submission.generation() > 1) {
        headers.put(Headers.GENERATION, submission.generation());
      }
    }
    if (!path.steering().isEmpty()) {
      headers.put("BCC", keys.bcc().isEmpty() ? path.steering() : joined(path, keys));
    }
    if (path.delayedFor() != null) {
      headers.put("x-delay", path.delayedFor());
    }
    if (path.expiresAfter() != null) {
      headers.put(DeliveryTime.HEADER, submission.deliverAt().toEpochMilli());
    }
    BasicProperties.Builder builder =
        original.builder().headers(headers.isEmpty() ? null : headers).messageId(messageId);
    if (held) { // the sender's expiration would end the hold
      builder.expiration(path.expiresAfter() == null ? null : Long.toString(path.expiresAfter()));
    }
    return builder.build();
  }

  /** Only under the id of an occurrence: a received one that is sent on is another message. */
  private static boolean isOfSchedule(String name, Submission submission) {
    Object schedule = submission.message().properties().getHeaders().get(Headers.SCHEDULE);
    return (name.equals(Headers.SCHEDULE) || name.equals(Headers.OCCURRENCE))
        && submission.id().startsWith(schedule + "@");
  }

  private static List<String> joined(HoldPath path, RoutingKeys keys) {
    List<String> bcc = new ArrayList<>(path.steering());
    bcc.addAll(keys.bcc());
    return bcc;
  }

  /**
   * A received message that is sent on still carries headers of its first delay. Ours would give it
   * a wrong id. Brokers before 4.0.1 would take the dead-letter headers for a cycle, and silently
   * drop the message.
   */
  private static boolean leftByDeadLettering(String header) {
    return header.equals("x-death")
        || header.startsWith("x-first-death-")
        || header.startsWith("x-last-death-");
  }
}
