// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** {@link Cached} answers to questions of one kind. Those that were asked last are remembered. */
final class CachedAnswers<Q, A> {
  private final Duration keep;
  private final Function<Q, A> source;
  private final Map<Q, Cached<A>> answers;

  /**
   * @param most how many questions are remembered
   */
  CachedAnswers(int most, Duration keep, Function<Q, A> source) {
    this.keep = keep;
    this.source = source;
    this.answers =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Q, Cached<A>> eldest) {
            return size() > most;
          }
        };
  }

  A get(Q asked) {
    Cached<A> answer;
    synchronized (answers) {
      answer = answers.computeIfAbsent(asked, each -> new Cached<>(keep, () -> source.apply(each)));
    }
    return answer.get();
  }
}
