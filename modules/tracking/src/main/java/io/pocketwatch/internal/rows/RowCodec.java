// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A message as a row, and back. Properties are kept in AMQP's own content-header encoding: any
 * other would lose the types of headers.
 */
public final class RowCodec {
  private static final int CLASS_ID = 2;

  /** The weight and body size before the properties: always zero here, and so not stored. */
  private static final int WEIGHT_AND_BODY_SIZE = 2 + 8;

  private static final Set<String> TRACE = Set.of("traceparent", "tracestate", "baggage", "b3");

  private RowCodec() {}

  /** The row of a submission. */
  public static ScheduledMessage of(Submission submission) {
    DelayedMessage message = submission.message();
    Tracking tracking = submission.route().tracking();
    return new ScheduledMessage(
        new MessageKey(submission.route().name(), submission.id()),
        message.businessKey(),
        message.exchange(),
        message.routingKey(),
        encode(submission.id(), message.properties()),
        message.body(),
        submission.deliverAt(),
        tracking);
  }

  /**
   * The submission of a row. If its route is no longer configured, the message still goes to the
   * target it was scheduled for.
   */
  public static Submission read(StoredMessage stored, DelayRoutes routes) {
    ScheduledMessage row = stored.message();
    String queue = stored.nextQueue();
    if (queue != null) {
      return RequeuedHold.toQueue(queue, stored, decode(row.key().id(), row.properties()));
    }
    DelayRoute configured = routes.named(row.key().route());
    DelayRoute route =
        configured == null
            ? DelayRoute.builder(row.key().route())
                .exchange(row.exchange())
                .routingKey(row.routingKey())
                .build()
            : configured;
    DelayedMessage message =
        DelayedMessage.to(row.exchange(), row.routingKey())
            .properties(decode(row.key().id(), row.properties()))
            .body(row.body())
            .deliverAt(row.deliverAt());
    int generation = row.tracking() == Tracking.NONE ? 0 : stored.generation();
    return new Submission(
        message,
        row.key().id(),
        route,
        null,
        row.deliverAt(),
        Duration.ZERO, // the instant includes it
        generation,
        false,
        true);
  }

  /**
   * Whether the properties of two rows are those of one message. Headers of tracing do not count,
   * since they differ from call to call.
   */
  public static boolean sameProperties(byte[] one, byte[] other) {
    if (Arrays.equals(one, other)) {
      return true;
    }
    try {
      return Arrays.equals(untraced(one), untraced(other));
    } catch (InvalidMessageException e) {
      return false; // not written by us
    }
  }

  private static byte[] untraced(byte[] encoded) {
    BasicProperties properties = decode("", encoded);
    if (properties.getHeaders() == null) {
      return encoded;
    }
    Map<String, Object> headers = new TreeMap<>(properties.getHeaders()); // in one order
    headers.keySet().removeIf(RowCodec::isTrace);
    return encode("", properties.builder().headers(headers.isEmpty() ? null : headers).build());
  }

  /** Of W3C and of Zipkin, which are those of Micrometer and OpenTelemetry. */
  private static boolean isTrace(String header) {
    String name = header.toLowerCase(Locale.ROOT);
    return TRACE.contains(name) || name.startsWith("x-b3-");
  }

  private static byte[] encode(String id, BasicProperties properties) {
    try {
      byte[] frame = properties.toFrame(0, 0).getPayload();
      return Arrays.copyOfRange(frame, CLASS_ID + WEIGHT_AND_BODY_SIZE, frame.length);
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidMessageException(
          id, "its properties cannot be encoded as AMQP: " + ErrorWords.of(e), e);
    }
  }

  private static BasicProperties decode(String id, byte[] encoded) {
    byte[] header = new byte[WEIGHT_AND_BODY_SIZE + encoded.length];
    System.arraycopy(encoded, 0, header, WEIGHT_AND_BODY_SIZE, encoded.length);
    try {
      return new BasicProperties(new DataInputStream(new ByteArrayInputStream(header)));
    } catch (IOException e) {
      throw new InvalidMessageException(id, "its stored properties are not AMQP", e);
    }
  }
}
