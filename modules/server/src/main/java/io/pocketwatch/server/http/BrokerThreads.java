// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import io.pocketwatch.server.background.Background;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that ask a broker, so that a broker that hangs blocks no request for more than 2 s. While
 * one question hangs, others wait for 100 ms only.
 */
public final class BrokerThreads implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Duration MOMENT = Duration.ofMillis(100);

  private final Background threads = new Background("pocketwatch-http-broker", 2);
  private volatile @Nullable CompletableFuture<?> hanging;

  <A> CompletableFuture<A> ask(Supplier<A> question) {
    return CompletableFuture.supplyAsync(question, threads::soon);
  }

  /**
   * @throws Problem if it does not come in time
   */
  <A> A await(CompletableFuture<A> answer) {
    CompletableFuture<?> other = hanging;
    Duration patience = other == null || other.isDone() ? PATIENCE : MOMENT;
    try {
      return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw ProblemOfFailure.of(Objects.requireNonNullElse(e.getCause(), e));
    } catch (TimeoutException e) {
      hanging = answer;
      throw away("the broker does not answer");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw away("this server ends");
    }
  }

  public static Problem away(String why) {
    return Problem.of(ProblemType.BROKER_UNAVAILABLE, why).retryAfter(ProblemOfFailure.COME_AGAIN);
  }

  @Override
  public void close() {
    threads.close();
  }
}
