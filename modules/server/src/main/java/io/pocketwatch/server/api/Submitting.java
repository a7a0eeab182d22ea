// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.internal.rows.RowCodec;
import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.tracking.TrackedPublisher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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
    TrackedPublisher publisher = backend.publisher();
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

  private Scheduled refused(NewMessage asked, TrackedPublisher publisher, Throwable cause) {
    if (cause instanceof IllegalStateException) { // the configuration has just been replaced
      return Scheduled.refused(
          Problem.of(ProblemType.BROKER_UNAVAILABLE, "the server takes up another configuration")
              .retryAfter(Failures.COME_AGAIN));
    }
    try {
      if (cause instanceof IdConflictException) {
        Optional<Scheduled> known = comparedWithThere(asked.message(), publisher);
        if (known.isPresent()) {
          return known.get();
        }
      }
      return Scheduled.refused(Failures.of(cause));
    } catch (RuntimeException e) {
      return Scheduled.refused(Failures.of(e));
    }
  }

  /**
   * A second request for the same delay, or for none, asks for a later instant and is the same.
   * What makes another one another message is said.
   */
  private Optional<Scheduled> comparedWithThere(
      DelayedMessage message, TrackedPublisher publisher) {
    ScheduledMessage asked = publisher.unwrap(HandOff.class).prepare(message).row();
    Optional<MessageSummary> known = backend.store().summary(asked.key());
    if (known.isPresent() && known.get().bodyBytes() != asked.body().length) {
      StoredMessage there = known.get().stored(); // which may be too large to be read
      List<String> differs = differences(there.message(), asked);
      differs.add("body");
      return Optional.of(compared(there, differs, message));
    }
    return finding.with(
        asked.key(),
        there -> {
          List<String> differs = differences(there.message(), asked);
          differs.addAll(otherContent(there.message(), asked));
          return compared(there, differs, message);
        });
  }

  private static Scheduled compared(
      StoredMessage there, List<String> differs, DelayedMessage message) {
    if (differs.isEmpty() && message.deliverAt() == null) {
      return Scheduled.there(there.key(), there.deliverAt());
    }
    if (differs.isEmpty()) {
      differs.add("deliverAt");
    }
    return Scheduled.refused(
        Problem.of(
                ProblemType.ID_CONFLICT,
                "another message %s is stored already, with another %s; it is due %s"
                    .formatted(there.key(), String.join(" and ", differs), there.deliverAt()))
            .with("differs", differs));
  }

  private static List<String> differences(ScheduledMessage stored, ScheduledMessage asked) {
    List<String> differences = new ArrayList<>();
    if (!stored.exchange().equals(asked.exchange())) {
      differences.add("exchange");
    }
    if (!stored.routingKey().equals(asked.routingKey())) {
      differences.add("routingKey");
    }
    if (!Objects.equals(stored.businessKey(), asked.businessKey())) {
      differences.add("businessKey");
    }
    return differences;
  }

  private static List<String> otherContent(ScheduledMessage stored, ScheduledMessage asked) {
    List<String> differences = new ArrayList<>();
    if (!Arrays.equals(stored.body(), asked.body())) {
      differences.add("body");
    }
    if (!RowCodec.sameProperties(stored.properties(), asked.properties())) {
      differences.add("properties");
    }
    return differences;
  }
}
