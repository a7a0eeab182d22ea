// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/** Questions of one kind to a broker. Those who ask the same at once share the answer. */
final class BrokerLooks<Q, A> {
  private final BrokerThreads threads;
  private final Function<Q, A> source;
  private final ConcurrentMap<Q, CompletableFuture<A>> asked = new ConcurrentHashMap<>();

  /**
   * @param source asks, or remembers the answer
   */
  BrokerLooks(BrokerThreads threads, Function<Q, A> source) {
    this.threads = threads;
    this.source = source;
  }

  /**
   * @throws Problem if there is no answer in time
   */
  A get(Q question) {
    CompletableFuture<A> answer =
        asked.computeIfAbsent(question, each -> threads.ask(() -> source.apply(each)));
    CompletableFuture<A> unused =
        answer.whenComplete((found, failure) -> asked.remove(question, answer));
    return threads.await(answer);
  }
}
