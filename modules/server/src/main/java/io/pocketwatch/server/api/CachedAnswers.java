// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** {@link Cached} answers to questions of one kind. Those that were asked last are remembered. */
final class CachedAnswers<Q, A> {
  private final long most;
  private final ToLongFunction<A> weight;
  private final Duration keep;
  private final Function<Q, A> source;
  private final Map<Q, Cached<A>> answers = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * @param most how heavy all answers together may be that are remembered
   * @param weight of one
   */
  CachedAnswers(long most, ToLongFunction<A> weight, Duration keep, Function<Q, A> source) {
    this.most = most;
    this.weight = weight;
    this.keep = keep;
    this.source = source;
  }

  A get(Q asked) {
    Cached<A> answer;
    synchronized (answers) {
      answer = answers.computeIfAbsent(asked, each -> new Cached<>(keep, () -> source.apply(each)));
    }
    A found = answer.get();
    forgetTheOldest();
    return found;
  }

  /** After a change: whoever asks next is told of it. */
  void forget() {
    synchronized (answers) {
      answers.clear();
    }
  }

  private void forgetTheOldest() {
    synchronized (answers) {
      long sum = answers.values().stream().mapToLong(this::weight).sum();
      for (Iterator<Cached<A>> all = answers.values().iterator(); sum > most && all.hasNext(); ) {
        sum -= weight(all.next());
        all.remove();
      }
    }
  }

  /** One that is being looked for weighs something too. */
  private long weight(Cached<A> each) {
    A last = each.last();
    return last == null ? 1 : weight.applyAsLong(last);
  }
}
