// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.request.Parameters;
import io.pocketwatch.server.view.ChangeWords;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.ChangeNote;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records who has changed what: each change in the log, and sums in the store, where they can be
 * read. The first change is in the store within a second. Like changes of the same caller are
 * summed for a minute, so a client that cancels a thousand messages a second is one entry.
 */
final class ChangeLog implements Runnable {
  static final Duration EVERY = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final long TOGETHER = Duration.ofMinutes(1).toNanos();
  private static final int MOST = 1_000;
  private static final int PAGE = 100;

  private final Backend backend;
  private final Map<Likewise, Sum> sums = new LinkedHashMap<>();
  private volatile boolean failing;

  ChangeLog(Backend backend) {
    this.backend = backend;
  }

  /**
   * @param subject null for single messages, of which the last is named
   */
  private record Likewise(
      String by, String what, @Nullable String route, @Nullable String subject) {}

  private static final class Sum {
    private @Nullable String last;
    private long done;
    private long refused;

    /** When the sum was last written to the store; null before that. */
    private @Nullable Long toldAt;
  }

  void addTo(RoutesConfig routes) {
    routes.get(HttpPart.REST + "/changes", this::list);
  }

  private void list(Context context) {
    Caller caller = Caller.of(context);
    Parameters parameters = new Parameters(context, "limit", "before");
    int limit = parameters.integer("limit", 1, MessageListResource.LARGEST_PAGE, PAGE);
    int before = parameters.integer("before", 1, Integer.MAX_VALUE, Integer.MAX_VALUE);
    List<ChangeNote> notes = backend.store().notes((long) before, limit);
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put(
        "items",
        notes.stream()
            .filter(each -> caller.routes().isEmpty() || sees(caller, each.route()))
            .toList());
    json.put("next", notes.size() < limit ? null : notes.get(notes.size() - 1).number());
    Answers.json(context, 200, json);
  }

  private static boolean sees(Caller caller, @Nullable String route) {
    return route != null && caller.sees(route);
  }

  void add(Caller caller, String what, MessageKey key, ChangeOutcome outcome) {
    LOG.info(
        "Change: {} from {}: {} {}/{}: {}",
        caller.actor(),
        caller.address(),
        what,
        Visible.word(key.route()),
        Visible.word(key.id()),
        outcome);
    boolean done = outcome == ChangeOutcome.DONE;
    note(
        new Likewise(caller.actor(), what, key.route(), null),
        key.id(),
        done ? 1 : 0,
        done ? 0 : 1);
  }

  /** Records a change of a schedule, or of the messages that wait in a queue. */
  void add(
      Caller caller, String what, @Nullable String route, String subject, long done, long left) {
    LOG.info(
        "Change: {} from {}: {} {}: {}, left {}",
        caller.actor(),
        caller.address(),
        what,
        Visible.word(subject),
        done,
        left);
    note(new Likewise(caller.actor(), what, route, subject), subject, done, left);
  }

  /** Records a change of the messages of a filter. */
  void addMany(Caller caller, String what, MessageQuery filter, ManyChanged changed) {
    LOG.info(
        "Change: {} from {}: {} of {}{}: {}",
        caller.actor(),
        caller.address(),
        what,
        filter.route() == null ? "all routes" : Visible.word(filter.route()),
        filter.businessKey() == null ? "" : ", key " + Visible.word(filter.businessKey()),
        changed.counts());
    long done = changed.count(ChangeOutcome.DONE);
    String subject = ChangeWords.of(filter);
    note(
        new Likewise(caller.actor(), what, filter.route(), subject),
        subject,
        done,
        changed.total() - done);
  }

  private synchronized void note(Likewise who, String last, long done, long refused) {
    Sum sum = sums.computeIfAbsent(who, each -> new Sum());
    sum.last = last;
    sum.done += done;
    sum.refused += refused;
    if (sums.size() > MOST) { // the store is away; the log has it
      sums.remove(sums.keySet().iterator().next());
    }
  }

  /** Writes the sums to the store whose time has come. */
  @Override
  public void run() {
    tell(false);
  }

  /** Writes all sums to the store. */
  void end() {
    tell(true);
  }

  private void tell(boolean all) {
    try {
      due(all).forEach((who, note) -> tell(who, note));
      failing = false;
    } catch (StoreException e) {
      if (!failing) {
        LOG.warn("Changes by hand are in this log only for now: {}", ErrorWords.of(e));
      }
      failing = true;
    }
  }

  private void tell(Likewise who, ChangeNote note) {
    backend.store().note(note);
    synchronized (this) {
      Sum sum = sums.get(who);
      if (sum != null) {
        sum.done -= note.done();
        sum.refused -= note.refused();
        sum.toldAt = System.nanoTime();
      }
    }
  }

  private synchronized Map<Likewise, ChangeNote> due(boolean all) {
    long now = System.nanoTime();
    Map<Likewise, ChangeNote> due = new LinkedHashMap<>();
    for (Iterator<Map.Entry<Likewise, Sum>> each = sums.entrySet().iterator(); each.hasNext(); ) {
      Map.Entry<Likewise, Sum> entry = each.next();
      Likewise who = entry.getKey();
      Sum sum = entry.getValue();
      boolean ripe = sum.toldAt == null || now - sum.toldAt > TOGETHER;
      if (sum.done + sum.refused > 0 && (ripe || all)) {
        due.put(
            who,
            new ChangeNote(who.by(), who.what(), who.route(), sum.last, sum.done, sum.refused));
      } else if (ripe) {
        each.remove();
      }
    }
    return due;
  }
}
