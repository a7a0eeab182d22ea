// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.server.store.StoreVerb.Asked;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Changes messages, and says truthfully what became of them. */
final class Changes {
  private static final long PROGRESS_NANOS = Duration.ofSeconds(5).toNanos();

  private final DelayStore store;
  private final Screen screen;
  private final MessageChange change;
  private final String done;
  private final boolean json;
  private long saidNanos = System.nanoTime();

  Changes(Asked asked, MessageChange change, boolean json) {
    this.store = asked.store();
    this.screen = asked.screen();
    this.change = change;
    this.done = ChangeWords.done(change.kind());
    this.json = json;
  }

  /** Whether it was changed. */
  boolean one(MessageKey key) {
    String actor = Actor.ofThisProcess();
    ChangeOutcome outcome =
        switch (change.kind()) {
          case CANCEL -> store.cancel(key, actor);
          case RESCHEDULE -> store.reschedule(key, Objects.requireNonNull(change.to()), actor);
          case RELEASE -> store.release(key, actor);
        };
    String words =
        ChangeWords.of(done, key, outcome, store.summary(key).map(MessageSummary::stored));
    if (json) {
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("route", key.route());
      answer.put("id", key.id());
      answer.put("outcome", outcome.name());
      answer.put("words", words);
      screen.result(Json.line(answer));
    } else {
      screen.result(Visible.word(words));
    }
    return outcome == ChangeOutcome.DONE;
  }

  /** Whether all of them were changed, and there was at least one. */
  boolean many(MessageQuery filter, boolean dryRun) {
    long matching = store.count(filter);
    if (dryRun) {
      say(
          "%s would be %s.".formatted(Numbers.of(matching, "message"), done),
          Map.of("matching", matching));
      return matching > 0;
    }
    screen.say(Numbers.of(matching, "message") + (matching == 1 ? " matches." : " match."));
    ManyChanged all =
        store.changeAll(
            filter,
            change,
            Actor.ofThisProcess(),
            soFar -> {
              if (System.nanoTime() - saidNanos > PROGRESS_NANOS) {
                saidNanos = System.nanoTime();
                screen.say(words(soFar) + " So far.");
              }
              return true;
            });
    Map<String, Object> object = new LinkedHashMap<>();
    object.put(done, all.count(ChangeOutcome.DONE));
    object.put("tooLate", all.count(ChangeOutcome.TOO_LATE));
    object.put("beingHandled", all.count(ChangeOutcome.BEING_HANDLED));
    say(words(all), object);
    return all.total() > 0 && all.count(ChangeOutcome.DONE) == all.total();
  }

  private void say(String words, Map<String, Object> object) {
    screen.result(json ? Json.line(object) : words);
  }

  private String words(ManyChanged changed) {
    StringBuilder words =
        new StringBuilder(Numbers.of(changed.count(ChangeOutcome.DONE), "message"))
            .append(" ")
            .append(done);
    add(words, changed.count(ChangeOutcome.TOO_LATE), " came too late for");
    add(words, changed.count(ChangeOutcome.BEING_HANDLED), " being handled right now");
    return words.append(".").toString();
  }

  private static void add(StringBuilder words, long count, String what) {
    if (count > 0) {
      words.append("; ").append(Numbers.count(count)).append(what);
    }
  }
}
