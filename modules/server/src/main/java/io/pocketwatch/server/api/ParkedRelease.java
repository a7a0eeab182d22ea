// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Another try for the parked messages of a filter. */
final class ParkedRelease {
  private final Backend backend;
  private final Bodies bodies;

  ParkedRelease(Backend backend, Bodies bodies) {
    this.backend = backend;
    this.bodies = bodies;
  }

  void addTo(RoutesConfig routes) {
    routes.post(RestApi.ROOT + "/messages/re-release", this::release);
  }

  private void release(Context context) {
    Fields fields = Fields.of(bodies.plain(context));
    MessageQuery query =
        new MessageQuery(
            fields.text("route"),
            Set.of(MessageState.PARKED),
            fields.text("businessKey"),
            fields.text("reason"),
            fields.instant("dueFrom"),
            fields.instant("dueUntil"),
            null,
            MessageList.LARGEST_PAGE);
    int limit = fields.integer("limit", 1, MessageList.LARGEST_PAGE, MessageList.LARGEST_PAGE);
    fields.requireNoOther();
    SeenMessages seen = new SeenMessages(backend.store(), Caller.of(context));
    Answers.json(context, 200, new Run(seen, backend.publisher().store(), limit).through(query));
  }

  /** One request's work: it ends when so many are changed, or there are no more. */
  private static final class Run {
    private final SeenMessages seen;
    private final SchedulingStore store;
    private final int limit;
    private int changed;
    private int unchanged;

    Run(SeenMessages seen, SchedulingStore store, int limit) {
      this.seen = seen;
      this.store = store;
      this.limit = limit;
    }

    Map<String, Object> through(MessageQuery query) {
      MessageQuery next = query;
      while (true) {
        List<MessageSummary> page = seen.page(next);
        for (MessageSummary each : page) {
          if (changed + unchanged == limit) {
            return answer(true);
          }
          boolean done = release(each.stored().key()) == ChangeOutcome.DONE;
          changed += done ? 1 : 0;
          unchanged += done ? 0 : 1;
        }
        if (page.size() < query.limit()) {
          return answer(false);
        }
        next = query.after(page.get(page.size() - 1).stored());
      }
    }

    private ChangeOutcome release(MessageKey key) {
      ChangeOutcome outcome = store.release(key, seen.caller().actor());
      ChangeLog.add(seen.caller(), "re-release", key, outcome);
      return outcome;
    }

    private Map<String, Object> answer(boolean more) {
      return Map.of("changed", changed, "unchanged", unchanged, "more", more);
    }
  }
}
