// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.Headers;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * How long each message of a channel may wait at its consumer. What the broker had sent ahead of a
 * wait has waited together with the one before it, and waits no more: a consumer timeout would
 * come. What was sent since has not, and would be dropped by its queue for coming back too fast.
 */
final class SentAhead {
  private final GuardOptions options;

  /** Up to here deliveries may have been sent before the last wait was over. */
  private long before;

  /** By their ids, what has gone back to the queue since: when it comes again it was sent since. */
  private final Set<String> returned = new HashSet<>();

  SentAhead(GuardOptions options) {
    this.options = options;
  }

  Duration patience(Delivery arrived) {
    boolean ahead =
        arrived.getEnvelope().getDeliveryTag() < before && !returned.contains(id(arrived));
    return ahead ? Duration.ZERO : options.storePatience();
  }

  void hasWaited(Delivery arrived, Duration patience) {
    if (!patience.isZero()) {
      before = arrived.getEnvelope().getDeliveryTag() + options.prefetch();
      returned.clear();
    }
  }

  void goesBack(Delivery arrived) {
    returned.add(id(arrived));
  }

  private static String id(Delivery arrived) {
    Map<String, Object> headers = arrived.getProperties().getHeaders();
    return headers == null ? "" : String.valueOf(headers.get(Headers.ID));
  }
}
