// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Keeps answers for a moment, so that many callers with the same question cost no more than one. A
 * slow answer is kept longer: at most a tenth of the time is spent on it. A failure is kept too, so
 * that callers that waited for it do not all ask again.
 */
public final class CachedAnswers<Q, A> {
  private static final int SHARE = 10;
  private static final Duration KEEP_FAILURE = Duration.ofSeconds(1);

  private final Duration keep;
  private final ToIntFunction<A> weight;
  private final Function<Q, A> source;
  private final Ticker ticker;
  private final AsyncCache<Q, Answer<A>> answers;

  /** Keeps the answers to up to {@code most} questions. */
  public CachedAnswers(int most, Duration keep, Function<Q, A> source) {
    this(most, each -> 1, keep, source, Ticker.systemTicker());
  }

  /**
   * @param most the total weight of the answers that are kept
   * @param weight the weight of an answer
   */
  public CachedAnswers(
      int most, ToIntFunction<A> weight, Duration keep, Function<Q, A> source, Ticker ticker) {
    this.keep = keep;
    this.weight = weight;
    this.source = source;
    this.ticker = ticker;
    this.answers =
        Caffeine.newBuilder()
            .maximumWeight(most)
            .<Q, Answer<A>>weigher((question, answer) -> answer.weight)
            .expireAfter(Expiry.<Q, Answer<A>>writing((question, answer) -> answer.keep))
            .ticker(ticker)
            .executor(Runnable::run)
            .buildAsync();
  }

  /**
   * Returns an answer as fresh as promised; waits while another caller asks the same.
   *
   * @throws RuntimeException what the source has thrown, now or a moment ago
   */
  public A get(Q question) {
    CompletableFuture<Answer<A>> ours = new CompletableFuture<>();
    CompletableFuture<Answer<A>> answer = answers.get(question, (each, executor) -> ours);
    if (answer == ours) {
      ours.completeAsync(() -> ask(question), Runnable::run);
    }
    return answer.join().value.get();
  }

  /**
   * Returns an answer as fresh as promised, asked for on a thread for the broker.
   *
   * @throws Problem if there is no answer, or none in time
   */
  public A get(Q question, BrokerThreads threads) {
    try {
      return threads
          .await(answers.get(question, (each, executor) -> threads.ask(() -> ask(each))))
          .value
          .get();
    } catch (RuntimeException e) {
      throw ProblemOfFailure.of(e);
    }
  }

  /** To be called after a change: the next caller gets an answer with it. */
  public void forget() {
    answers.synchronous().invalidateAll();
  }

  private Answer<A> ask(Q question) {
    long begun = ticker.read();
    try {
      A found = source.apply(question);
      Duration took = Duration.ofNanos(SHARE * (ticker.read() - begun));
      return new Answer<>(
          () -> found, weight.applyAsInt(found), took.compareTo(keep) > 0 ? took : keep);
    } catch (RuntimeException | Error e) {
      return new Answer<>(
          () -> {
            throw e;
          },
          1,
          KEEP_FAILURE);
    }
  }

  /**
   * The answer of the source.
   *
   * @param value throws what the source has thrown
   */
  private record Answer<A>(Supplier<A> value, int weight, Duration keep) {}
}
