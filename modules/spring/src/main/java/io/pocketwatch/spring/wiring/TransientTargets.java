// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.spi.Planning.Targets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.Declarable;
import org.springframework.amqp.core.DeclarableCustomizer;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.Queue;
import org.springframework.beans.factory.DisposableBean;

/**
 * Binds targets again that do not outlive a restart: queues and exchanges that are auto-delete or
 * not durable. Such a target is declared anew without its binding, and messages held for it would
 * be unroutable. Spring's admins call their customizers before they declare, so it is bound a
 * moment later. Exclusive queues cannot be bound by us. Thread-safe.
 */
final class TransientTargets implements DeclarableCustomizer, DisposableBean {
  private static final Logger LOG = LoggerFactory.getLogger(TransientTargets.class);

  /** The pauses before each attempt: the admin may have much else to declare. */
  private static final List<Duration> PAUSES =
      List.of(Duration.ofMillis(100), Duration.ofMillis(400), Duration.ofSeconds(2));

  private final Supplier<DelayedPublisher> publisher;
  private final Function<Duration, Executor> after;
  private boolean closed;

  TransientTargets(Supplier<DelayedPublisher> publisher) {
    this(
        publisher,
        pause ->
            CompletableFuture.delayedExecutor(
                pause.toMillis(), TimeUnit.MILLISECONDS, TransientTargets::run));
  }

  TransientTargets(Supplier<DelayedPublisher> publisher, Function<Duration, Executor> after) {
    this.publisher = publisher;
    this.after = after;
  }

  @Override
  public Declarable apply(Declarable declarable) {
    if (declarable instanceof Queue queue
        && (queue.isAutoDelete() || !queue.isDurable())
        && !queue.isExclusive()
        && !queue.getName().isEmpty()) {
      bind("", queue.getName(), 0);
    } else if (declarable instanceof Exchange exchange
        && (exchange.isAutoDelete() || !exchange.isDurable())
        && !exchange.getName().isEmpty()) {
      bind(exchange.getName(), "", 0);
    }
    return declarable;
  }

  private void bind(String exchange, String queue, int attempt) {
    if (attempt == PAUSES.size()) {
      return;
    }
    CompletableFuture.supplyAsync(this::targets, after.apply(PAUSES.get(attempt)))
        .thenCompose(targets -> targets.declared(exchange, queue))
        .whenComplete(
            (nothing, error) -> {
              if (error != null) {
                LOG.debug("{} '{}{}' is not bound yet", attempt, exchange, queue, error);
                bind(exchange, queue, attempt + 1);
              }
            });
  }

  /** A closed context would create its beans anew when asked, and nothing would close them. */
  private synchronized Targets targets() {
    if (closed) {
      throw new IllegalStateException("the application is closed");
    }
    return publisher.get().unwrap(Targets.class);
  }

  @Override
  public synchronized void destroy() {
    closed = true;
  }

  private static void run(Runnable task) {
    Thread thread = new Thread(task, "pocketwatch-targets");
    thread.setDaemon(true);
    thread.start();
  }
}
