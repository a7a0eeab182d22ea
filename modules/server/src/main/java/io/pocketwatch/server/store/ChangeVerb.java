// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.SchedulingStore.MessageChange.Kind;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that changes one message, or all of a filter. */
abstract class ChangeVerb extends StoreVerb {
  private static final int BATCH = 1_000;

  @Parameters(index = "0", arity = "0..1", paramLabel = "ROUTE", description = "Its route.")
  private @Nullable String keyRoute;

  @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "Its id.")
  private @Nullable String keyId;

  @Mixin private FilterOptions filter;

  @Option(names = "--json", description = "Print one JSON object in place of sentences.")
  private boolean json;

  private @Nullable Instant from;
  private @Nullable Instant until;

  /** Whether all of all routes are meant. */
  boolean all() {
    return false;
  }

  /** Whether one message is meant, and not a filter. */
  final boolean one() {
    return keyRoute != null;
  }

  @Override
  void checkUsage() {
    if (one() ? keyId == null || filter.given() || all() : !filter.narrow() && !all()) {
      throw usage("give either ROUTE ID, or --route, --business-key or both");
    }
    if (!ChangeWords.changeable(Kind.CANCEL).containsAll(filter.states)) {
      throw usage("--state: what is settled or cancelled can no longer be changed");
    }
  }

  @Override
  void checkTimes(Moments moments) {
    from = time(moments, "--due-from", filter.dueFrom);
    until = time(moments, "--due-until", filter.dueUntil);
    if (from != null && until != null && !from.isBefore(until)) {
      throw usage("--due-from %s is not before --due-until %s".formatted(from, until));
    }
  }

  /** What to do with each. */
  abstract MessageChange change(Asked asked);

  @Override
  final boolean run(Asked asked) {
    requireRoute(asked, filter.route);
    MessageChange change = change(asked);
    Changes changes = new Changes(asked, change, json);
    return keyRoute != null && keyId != null
        ? changes.one(new MessageKey(keyRoute, keyId))
        : changes.many(query(change.kind()), filter.dryRun);
  }

  private MessageQuery query(Kind kind) {
    Set<MessageState> states =
        filter.states.isEmpty() ? ChangeWords.changeable(kind) : EnumSet.copyOf(filter.states);
    return new MessageQuery(
        filter.route, states, filter.businessKey, filter.reason, from, until, null, BATCH);
  }
}
