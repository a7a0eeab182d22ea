// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.server.view.Notice.Code;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A queue whose messages wait for a person.
 *
 * @param name its name
 * @param route the route whose callbacks were given up there; null for messages of any route whose
 *     target was gone when they came due
 * @param origin the queue its messages were taken from; null if each message names its target
 */
public record DeadLetterQueue(String name, @Nullable String route, @Nullable String origin) {
  /** The header that says why a message is in such a queue. */
  public static final String REASON = "pocketwatch-parked";

  /** The queue of messages whose target was gone when they came due. */
  public static DeadLetterQueue unroutable(Names names) {
    return new DeadLetterQueue(names.unroutable(), null, null);
  }

  /** The queue of a route's callbacks that were given up and have no row. */
  public static DeadLetterQueue parked(Names names, CallbackSettings callback) {
    return new DeadLetterQueue(names.parked(callback.queue()), callback.route(), callback.queue());
  }

  /** The queue of each route with callbacks. */
  public static List<DeadLetterQueue> parked(Names names, List<CallbackSettings> callbacks) {
    return callbacks.stream().map(each -> parked(names, each)).toList();
  }

  /** A warning of the server about its messages. */
  public Notice warning(long count) {
    Notice notice =
        route == null
            ? Notice.of(Code.UNROUTABLE, "count", count)
            : Notice.of(Code.CALLBACKS_GIVEN_UP, "count", count).and("route", route);
    return notice.and("queue", name);
  }
}
