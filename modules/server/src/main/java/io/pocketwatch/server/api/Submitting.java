// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** Publishes what was asked for. */
final class Submitting {
  private final Backend backend;
  private final Finding finding;

  Submitting(Backend backend, Finding finding) {
    this.finding = finding;
    this.backend = backend;
  }

  /**
   * Sends it on its way.
   *
   * @return waits for what became of it; does not throw
   */
  Supplier<Scheduled> submit(NewMessage asked) {
    DelayedPublisher publisher = backend.publisher();
    CompletableFuture<PublishReceipt> receipt = publisher.publish(asked.message());
    return () -> {
      try {
        return Scheduled.of(receipt.join());
      } catch (CompletionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return refused(asked, publisher, cause);
      }
    };
  }

  private Scheduled refused(NewMessage asked, DelayedPublisher publisher, Throwable cause) {
    if (cause instanceof IllegalStateException) { // the configuration has just been replaced
      return Scheduled.refused(
          Problem.of(ProblemType.BROKER_UNAVAILABLE, "the server takes up another configuration")
              .retryAfter(Failures.COME_AGAIN));
    }
    try {
      if (cause instanceof IdConflictException && asked.message().deliverAt() == null) {
        Optional<Scheduled> same = same(asked.message(), publisher);
        if (same.isPresent()) {
          return same.get();
        }
      }
      return Scheduled.refused(Failures.of(cause));
    } catch (RuntimeException e) {
      return Scheduled.refused(Failures.of(e));
    }
  }

  /** A second request for the same delay, or for none, asks for a later instant and is the same. */
  private Optional<Scheduled> same(DelayedMessage message, DelayedPublisher publisher) {
    ScheduledMessage asked = publisher.handOver().prepare(message).row();
    Optional<StoredMessage> there = finding.find(asked.key());
    return there
        .filter(stored -> sameContent(stored.message(), asked))
        .map(stored -> Scheduled.there(stored.key(), stored.deliverAt()));
  }

  private static boolean sameContent(ScheduledMessage stored, ScheduledMessage asked) {
    return stored.exchange().equals(asked.exchange())
        && stored.routingKey().equals(asked.routingKey())
        && Arrays.equals(stored.properties(), asked.properties())
        && Arrays.equals(stored.body(), asked.body());
  }
}
