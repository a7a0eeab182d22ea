// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.rows.RowCodec;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.HoldFamily;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.Wheel;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How the broker holds a message, worked out as its publisher did: the broker cannot be asked. */
final class Holding {
  private final DelayRoutes routes;
  private final BrokerCapabilities facts;
  private final Names names;

  Holding(Backend backend) {
    this.routes = backend.routes();
    // A route that asks for the delayed exchange has it, or nothing of it is ever held.
    this.facts =
        new BrokerCapabilities(backend.vitals().brokerVersion(), true, false, 0, "")
            .with(backend.nativeHold());
    this.names = new Names(routes.hold().namePrefix());
  }

  /** Strategy and queue of a message that is held, as of the time given; empty if not known. */
  Map<String, Object> of(StoredMessage stored, Instant now) {
    Map<String, Object> json = new LinkedHashMap<>();
    if (stored.reason() != null) {
      return json; // what is held for another try waits for that, and not for its instant
    }
    try {
      Submission submission = RowCodec.read(stored, routes);
      DelayStrategy strategy =
          new DelayPlanner(routes, facts).plan(submission, stored.updatedAt()).strategy();
      json.put("strategy", strategy);
      String queue = queue(strategy, submission, stored, now);
      if (queue != null) {
        json.put("queue", queue);
      }
    } catch (InvalidMessageException e) {
      // The configuration has changed since: what holds it now is not known.
    }
    return json;
  }

  private @Nullable String queue(
      DelayStrategy strategy, Submission submission, StoredMessage stored, Instant now) {
    return switch (strategy) {
      case DELIVERY_TIME -> names.nativeQueue(Names.nativeQueueOf(stored.key().id()));
      case QUEUE_WHEEL -> hand(submission, stored, now);
      default -> null;
    };
  }

  /** The queue it has come to: it waits in each for as long as that queue's position is worth. */
  private @Nullable String hand(Submission submission, StoredMessage stored, Instant now) {
    Wheel wheel = new Wheel(routes.hold().wheel());
    Duration remaining = Duration.between(stored.updatedAt(), stored.deliverAt());
    Duration resolution = submission.route().resolution();
    Integer priority = submission.message().properties().getPriority();
    HoldFamily holds =
        HoldFamily.of(routes.hold().wheel().queues(), priority == null ? 0 : priority, facts);
    Instant until = stored.updatedAt();
    for (Wheel.Step step :
        resolution == null ? wheel.steps(remaining) : wheel.steps(remaining, resolution)) {
      until = until.plus(step.hand().unit().multipliedBy(step.position()));
      if (until.isAfter(now)) {
        return names.handQueue(holds, step.hand().unit(), step.position());
      }
    }
    return null;
  }
}
