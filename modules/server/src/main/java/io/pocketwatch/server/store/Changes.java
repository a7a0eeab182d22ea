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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Changes messages one by one, and says truthfully what became of each. */
final class Changes {
  private static final int SENTENCES = 20;

  private final DelayStore store;
  private final Screen screen;
  private final String done;
  private final boolean json;

  /**
   * @param done what a changed message is then: cancelled, moved, released
   */
  Changes(Asked asked, String done, boolean json) {
    this.store = asked.store();
    this.screen = asked.screen();
    this.done = done;
    this.json = json;
  }

  /** Whether all of them were changed, and there was at least one. */
  boolean apply(Selection selection, Function<MessageKey, ChangeOutcome> change) {
    List<Map<String, Object>> answers = new ArrayList<>();
    int changed = 0;
    for (MessageKey key : selection.keys()) {
      ChangeOutcome outcome = change.apply(key);
      String words = ChangeWords.of(done, key, outcome, store.find(key));
      changed += outcome == ChangeOutcome.DONE ? 1 : 0;
      answers.add(answer(key, outcome, words));
      // What was not changed is always said, what was only while it can be read.
      if (!json && (answers.size() <= SENTENCES || outcome != ChangeOutcome.DONE)) {
        screen.result(Visible.word(words));
      }
    }
    int all = selection.keys().size();
    conclude(selection, changed, all);
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put(done, changed);
      object.put("unchanged", all - changed);
      object.put("messages", answers);
      screen.result(Json.line(object));
    }
    return changed == all && all > 0;
  }

  private void conclude(Selection selection, int changed, int all) {
    if (all == 0) {
      screen.say("There is no " + Visible.word(selection.what()) + ".");
    } else if (all > 1) {
      screen.say(
          "%s of %s %s.".formatted(Numbers.count(changed), Numbers.of(all, "message"), done));
    }
  }

  private static Map<String, Object> answer(MessageKey key, ChangeOutcome outcome, String words) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("route", key.route());
    answer.put("id", key.id());
    answer.put("outcome", outcome.name());
    answer.put("words", words);
    return answer;
  }
}
