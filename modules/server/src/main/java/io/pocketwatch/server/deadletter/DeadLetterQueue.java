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
 * @param route whose callbacks were given up there; null for what came due for a target that was
 *     gone, on any route
 * @param origin the queue its messages were taken from; null if each says itself where it goes
 */
public record DeadLetterQueue(String name, @Nullable String route, @Nullable String origin) {
  /** The header that says why a message is in such a queue. */
  public static final String REASON = "pocketwatch-parked";

  /** What came due for a target that was gone. */
  public static DeadLetterQueue unroutable(Names names) {
    return new DeadLetterQueue(names.unroutable(), null, null);
  }

  /** What the callbacks of a route have given up and has no row. */
  public static DeadLetterQueue parked(Names names, CallbackSettings callback) {
    return new DeadLetterQueue(names.parked(callback.queue()), callback.route(), callback.queue());
  }

  /** One for each route that calls back. */
  public static List<DeadLetterQueue> parked(Names names, List<CallbackSettings> callbacks) {
    return callbacks.stream().map(each -> parked(names, each)).toList();
  }

  /** For the warnings of a server. */
  public Notice warning(long count) {
    Notice notice =
        route == null
            ? Notice.of(Code.UNROUTABLE, "count", count)
            : Notice.of(Code.CALLBACKS_GIVEN_UP, "count", count).and("route", route);
    return notice.and("queue", name);
  }
}
