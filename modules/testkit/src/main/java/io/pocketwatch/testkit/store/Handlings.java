// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.SettlingStore.Postponement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A store, asked for one handling at a time; waits for a row that somebody else has locked. */
public record Handlings(SettlingStore store) {
  /**
   * What a begin was answered.
   *
   * @param begun the handling; set only with {@code HANDLE}
   */
  public record Answer(Begun answer, @Nullable Handling begun) {
    public Verdict verdict() {
      return answer.verdict();
    }

    /** What was begun; fails if nothing was. */
    public Handling handling() {
      return Objects.requireNonNull(begun, () -> "not begun: " + answer);
    }
  }

  public static Handlings of(SettlingStore store) {
    return new Handlings(store);
  }

  /** Begins a handling with a new token. */
  public Answer begin(MessageKey key, int generation, String consumer, Duration lease) {
    Handling wanted = new Handling(key, consumer, UUID.randomUUID().toString());
    while (true) {
      Begun begun = store.begin(List.of(new Beginning(wanted, generation)), lease).get(0);
      if (begun.verdict() != Verdict.LOCKED) {
        return new Answer(begun, begun.verdict() == Verdict.HANDLE ? wanted : null);
      }
      Thread.onSpinWait();
    }
  }

  public boolean settle(Handling handling) {
    return end(Ending.settle(handling));
  }

  public boolean fail(Handling handling, String reason) {
    return end(Ending.fail(handling, reason));
  }

  public boolean park(Handling handling, String reason) {
    return end(Ending.park(handling, reason));
  }

  /** Until then, to be sent to a queue with the consumer's name; none of its retries is used. */
  public boolean postpone(Handling handling, Instant until, String reason) {
    return end(
        Ending.postpone(handling, new Postponement(until, handling.consumer(), false), reason));
  }

  public boolean abandon(Handling handling) {
    return end(Ending.requeue(handling, null));
  }

  public boolean extend(Handling handling, Duration lease) {
    return store.extend(List.of(handling), lease).get(0);
  }

  private boolean end(Ending ending) {
    while (true) {
      Ended ended = store.end(List.of(ending)).get(0);
      if (ended != Ended.LOCKED) {
        return ended == Ended.APPLIED;
      }
      Thread.onSpinWait();
    }
  }
}
