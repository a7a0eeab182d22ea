// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.loader.RecoveryRule.Decision;
import io.pocketwatch.loader.RecoveryRule.Returned;
import io.pocketwatch.store.LoadingStore.ConsumerProgress;
import io.pocketwatch.store.LoadingStore.Overdue;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.StoreEvent;
import io.pocketwatch.store.StoreException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after sent messages: it returns those that consumers have overtaken, which the loader then
 * sends like others, at its rate. It also counts events, and deletes messages that finished long
 * ago.
 */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private final LoaderContext work;
  private final ConnectedTime connected;
  private final RollupPass rollups;
  private final RetentionPass retention;
  private final Map<String, Returned> returned = new HashMap<>();
  private volatile Set<String> silent = Set.of();
  private volatile @Nullable String lastError;

  Recovery(LoaderContext work) {
    this.work = work;
    this.connected = new ConnectedTime(work);
    this.rollups = new RollupPass(work);
    this.retention = new RetentionPass(work);
  }

  void look() {
    connected.since();
    try {
      if (isMine()) {
        Instant since = connected.since();
        if (since != null && !since.isAfter(graceAgo(work.handOff.now()))) {
          recover(since);
          Instant counted = rollups.run();
          retention.run(counted);
        }
      } else {
        silent = Set.of();
      }
      lastError = null;
    } catch (StoreException e) {
      lastError = ErrorWords.of(e);
      throw e;
    }
  }

  /** Whether this loader does it: only one of those alive may send again and probe. */
  private boolean isMine() {
    Optional<String> first = LoaderPresence.first(work.store.heartbeats(), work.store.now());
    return first.isPresent() && first.get().equals(work.owner());
  }

  private Instant graceAgo(Instant now) {
    return now.minus(work.options.grace());
  }

  private void recover(Instant since) {
    Instant now = work.handOff.now();
    List<Overdue> all = work.store.overdue(graceAgo(now));
    Set<String> quiet = new HashSet<>();
    for (Overdue overdue : all) {
      recover(overdue, now, since, quiet);
    }
    silent = quiet;
  }

  private void recover(Overdue overdue, Instant now, Instant since, Set<String> quiet) {
    String route = overdue.route();
    Returned last = returned.get(route);
    Decision decision =
        new RecoveryRule(
                overdue, work.options, now, since, last, last == null || nothingWaits(route))
            .decide();
    switch (decision.kind()) {
      case WAIT -> {}
      case SILENT -> silent(overdue, quiet);
      case PROBE -> {
        silent(overdue, quiet);
        sendAgain(overdue, decision, now);
      }
      case RETURN -> sendAgain(overdue, decision, now);
    }
  }

  private void silent(Overdue overdue, Set<String> quiet) {
    String route = overdue.route();
    quiet.add(route);
    if (!silent.contains(route)) {
      LOG.warn(
          "Route {}: {} messages are overdue, and what was settled does not tell whether they are"
              + " lost; last settled: {}",
          route,
          overdue.count(),
          overdue.consumers().isEmpty() ? "nothing" : progress(overdue.consumers()));
    }
    work.listener.onEvent(new StoreEvent.Silent(route, overdue.count()));
  }

  private static String progress(List<ConsumerProgress> consumers) {
    return consumers.stream()
        .map(each -> "by %s at %s".formatted(each.consumer(), each.lastSettledAt()))
        .collect(Collectors.joining(", "));
  }

  private void sendAgain(Overdue overdue, Decision decision, Instant now) {
    String route = overdue.route();
    int count =
        work.store.returnOverdue(route, decision.dueBefore(), graceAgo(now), decision.limit());
    returned.put(route, new Returned(now, overdue.notBegun(), count));
    if (count > 0) {
      LOG.warn("{} overdue messages of route {} are sent again", count, route);
      work.listener.onEvent(new StoreEvent.Recovered(route, count));
    }
  }

  private boolean nothingWaits(String route) {
    return work.store.overdueCounts().stream()
        .noneMatch(each -> each.route().equals(route) && each.in(Phase.DUE).count() > 0);
  }

  /** Notes whether the broker is connected, between two looks. */
  void watch() {
    connected.since();
  }

  /** The next look also deletes what was finished long ago. */
  void deleteSoon() {
    retention.soon();
  }

  @Nullable String lastError() {
    return lastError;
  }

  Set<String> silentRoutes() {
    return silent;
  }

  /** Since when the broker has been connected, as far as anybody looked. */
  static final class ConnectedTime {
    private final LoaderContext work;
    private @Nullable Instant since;

    ConnectedTime(LoaderContext work) {
      this.work = work;
    }

    /** Null while it is not. */
    synchronized @Nullable Instant since() {
      if (!work.publisher.status().connected()) {
        since = null;
      } else if (since == null) {
        since = work.handOff.now();
      }
      return since;
    }
  }
}
