// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.BrokerClock;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PublisherStatus;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import io.pocketwatch.store.OverviewStore.LostChanges;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The status of Pocketwatch in this application, for health checks. Each call asks the store a
 * handful of indexed queries. A broker's blocking is reported for any connection factory that is a
 * bean, since templates may publish on each of them.
 */
public final class PocketwatchStatus {
  /** A loader has a heartbeat every 10 s while it could load. */
  private static final Duration QUIET = Duration.ofSeconds(40);

  private final DelayedPublisher publisher;
  private final @Nullable DelayStore store;
  private final BlockedConnections connections;
  private final Supplier<List<String>> others;
  private final Instant since = Instant.now();

  /** With the warnings of optional parts. */
  PocketwatchStatus(
      DelayedPublisher publisher,
      @Nullable DelayStore store,
      BlockedConnections connections,
      Supplier<List<String>> others) {
    this.publisher = publisher;
    this.store = store;
    this.connections = connections;
    this.others = others;
  }

  /** Why messages are not on their way; empty if all is well. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>(connections.problems());
    PublisherStatus status = publisher.status();
    if (status.connectionError() != null) {
      problems.add("the broker is not connected");
      return problems; // no loader can load then, and that is no news
    }
    String blocked = status.blockedReason();
    if (blocked != null) {
      problems.add("the broker has blocked publishers: " + blocked);
    }
    if (store != null) {
      try {
        if (aliveLoaders(store).isEmpty() && !justBegan()) {
          problems.add(
              "nobody loads what is stored: no loader has shown a sign of life for "
                  + QUIET.toSeconds()
                  + " s; some process must, see pocketwatch.loader.enabled");
        }
      } catch (StoreException e) {
        problems.add("the store does not answer: " + ErrorWords.of(e));
      }
    }
    return problems;
  }

  /** What a person should look at although messages are on their way. */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    PublisherStatus status = publisher.status();
    status
        .brokerClock()
        .filter(BrokerClock::isWrong)
        .ifPresent(
            clock -> warnings.add("when the publisher connected last, " + clock.description()));
    NativeHold hold = status.nativeHold();
    if (hold.isMissed() && status.connected()) {
      warnings.add("DELIVERY_TIME is not used, the wheel serves: " + hold.description());
    }
    LostChanges lost = store == null ? null : store.lostChanges();
    if (lost != null) {
      warnings.add(
          "the database has lost changes that it had confirmed, up to %s: the log says more"
              .formatted(lost.until()));
    }
    warnings.addAll(others.get());
    return warnings;
  }

  /** Whether there was no time yet for a first heartbeat. */
  private boolean justBegan() {
    return Duration.between(since, Instant.now()).compareTo(QUIET) < 0;
  }

  private static List<LoaderHeartbeat> aliveLoaders(DelayStore store) {
    Instant oldest = store.now().minus(QUIET);
    return store.heartbeats().stream().filter(beat -> beat.at().isAfter(oldest)).toList();
  }

  /** An optional part of an application that may have warnings. */
  interface Warnings {
    List<String> warnings();
  }
}
