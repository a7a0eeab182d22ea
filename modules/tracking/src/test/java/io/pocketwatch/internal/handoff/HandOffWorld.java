// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff.Prepared;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testing.HandScheduler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Two processes that hand off rows of one store to one broker, in one hand: the store, the broker,
 * the time and the threads. What must never happen is noted in {@link #broken} when it does.
 */
final class HandOffWorld {
  static final String WHEN_DUE = "work";
  static final String AHEAD = "ahead";
  private static final int ROOM = 10_000;
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final BrokerCapabilities BROKER =
      new BrokerCapabilities("4.3.6", false, true, 0, "guest");

  final HandScheduler time;
  final Map<MessageKey, Row> rows = new LinkedHashMap<>();
  final List<String> broken = new ArrayList<>();
  final List<Process> processes = new ArrayList<>();

  /** By how much the store's clock differs from the time that passes. */
  private Duration clockIsOff = Duration.ZERO;

  boolean storeIsAway;
  boolean storeLosesAnswers;
  boolean connected = true;
  private final Random random;
  private final DelayRoutes routes =
      DelayRoutes.builder()
          .route(DelayRoute.builder(WHEN_DUE).exchange(WHEN_DUE).tracking(Tracking.FULL).build())
          .route(DelayRoute.builder(AHEAD).exchange(AHEAD).tracking(Tracking.HANDOFF).build())
          .build();

  /** How the broker answers; null if it does not. */
  Supplier<@Nullable Cause> answers = () -> Cause.NONE;

  HandOffWorld(Random random) {
    this.random = random;
    this.time = new HandScheduler(random);
    processes.add(new Process("one"));
    processes.add(new Process("two"));
  }

  Instant now() {
    return time.clock().instant().plus(clockIsOff);
  }

  /** A row, and what was done with it. */
  final class Row {
    final MessageKey key;
    ScheduledMessage message;
    int generation = 1;
    MessageState state = MessageState.PENDING;
    Instant nextAt;
    int attempts;
    long fence;
    @Nullable Instant leaseUntil;

    /** By {@link HandScheduler#nanoTime}, of the last claim. */
    long claimedAt;

    Duration leaseLength = Duration.ZERO;
    int confirmed;

    /** Whether the clock was set after it was due. */
    boolean wasDue;

    /** Whether more than one copy has an excuse: an answer or an end was lost, or a clock set. */
    boolean mayRepeat;

    Row(ScheduledMessage message) {
      this.key = message.key();
      this.message = message;
      this.nextAt = message.deliverAt();
    }

    boolean claimable() {
      return state == MessageState.PENDING && (leaseUntil == null || !leaseUntil.isAfter(now()));
    }

    Claim claim(Lease lease) {
      fence++;
      claimedAt = time.nanoTime();
      leaseLength = lease.length();
      leaseUntil = now().plus(lease.length());
      StoredMessage stored =
          new StoredMessage(
              message, state, generation, attempts, nextAt, null, null, nextAt, nextAt, null, null);
      return new Claim(stored, lease.owner(), fence, false);
    }

    @Override
    public String toString() {
      return key + " " + state + " at " + nextAt + " leased until " + leaseUntil;
    }
  }

  /** A publisher with a store, and its loader. */
  final class Process {
    final String name;
    final DefaultHandOff handOff;
    boolean closed;

    Process(String name) {
      this.name = name;
      DelayPlanner planner = new DelayPlanner(routes, BROKER);
      this.handOff =
          new DefaultHandOff(
              store(),
              new StoreRule(routes, () -> planner, HandOffWorld.this::now),
              new DefaultHandOff.Broker(HandOffWorld.this::published, () -> connected),
              PocketwatchListener.NONE,
              time);
    }

    /** As an inserter does. */
    void publish(String route, String id, Duration delay) {
      DelayedMessage message =
          DelayedMessage.to(route, "key").id(id).body("{}").deliverAt(now().plus(delay));
      Prepared prepared = handOff.prepare(message);
      Row row = new Row(prepared.row());
      rows.put(row.key, row);
      if (prepared.lease() != null) {
        row.claim(prepared.lease());
        handOff.committed(prepared);
      }
    }

    /** As a loader does each second. */
    void look() {
      handOff.claimedDue(WHEN_DUE);
      quietly(() -> handOff.claimDue(WHEN_DUE, 50, name, claims -> {}));
      quietly(
          () -> {
            Lease lease = new Lease(name, routes.loader().lease());
            return claim(new ClaimRequest(AHEAD, handOff.horizon(), 50, 1 << 20, lease)).stream()
                .map(
                    claim ->
                        handOff
                            .handOff(claim)
                            .thenApply(result -> quietly(() -> endIfFailed(result))))
                .toList();
          });
    }

    private HandOffResult endIfFailed(HandOffResult result) {
      if (!result.confirmed()) {
        conclude(List.of(handOff.failed(result)));
      }
      return result;
    }

    void changed(MessageKey key) {
      handOff.rowChanged(key);
    }

    void close() {
      closed = true;
      handOff.stopTaking(Duration.ofSeconds(5));
      handOff.close();
    }

    /** Nothing waits here, and all room is free. */
    void requireEmpty() {
      int open = handOff.claimedDue(WHEN_DUE);
      if (open != 0 || handOff.claimDue(WHEN_DUE, ROOM, name, claims -> {}).isEmpty()) {
        broken.add(name + " still has claims, " + open + " of a look");
      }
    }
  }

  private static <T> @Nullable T quietly(Supplier<T> call) {
    try {
      return call.get();
    } catch (StoreException e) {
      return null; // it is asked again
    }
  }

  void reschedule(Row row, Duration delay, Process by) {
    if (row.state == MessageState.PENDING && !storeIsAway) {
      row.nextAt = now().plus(delay);
      row.message = dueAt(row.message, row.nextAt);
      row.generation++;
      row.wasDue = false;
      row.leaseUntil = null;
      row.fence++;
      row.mayRepeat = true; // a copy may be under way
      by.changed(row.key);
    }
  }

  void setClock(Duration by) {
    rows.values()
        .forEach(
            row -> {
              row.wasDue |= !row.nextAt.isAfter(now());
              row.mayRepeat = true;
            });
    clockIsOff = clockIsOff.plus(by);
  }

  private static ScheduledMessage dueAt(ScheduledMessage message, Instant deliverAt) {
    return new ScheduledMessage(
        message.key(),
        message.businessKey(),
        message.exchange(),
        message.routingKey(),
        message.properties(),
        message.body(),
        deliverAt,
        message.tracking());
  }

  void cancel(Row row) {
    if (row.state == MessageState.PENDING) {
      row.state = MessageState.CANCELLED;
    }
  }

  private CompletableFuture<PublishReceipt> published(Submission submission) {
    Row row = rows.get(new MessageKey(submission.route().name(), submission.id()));
    if (row.key.route().equals(WHEN_DUE) && now().isBefore(submission.deliverAt()) && !row.wasDue) {
      broken.add("early: " + row);
    }
    boolean leased = time.nanoTime() - row.claimedAt <= row.leaseLength.toNanos();
    if (row.state == MessageState.PENDING && !leased) {
      broken.add("sent without a lease: " + row);
    }
    CompletableFuture<PublishReceipt> answer = new CompletableFuture<>();
    Cause cause = answers.get();
    Duration after = cause == null ? LONG : Duration.ofMillis(random.nextInt(10) == 0 ? 4_000 : 2);
    time.later(after, () -> answer.complete(receipt(row, submission, cause)));
    return answer;
  }

  private PublishReceipt receipt(Row row, Submission submission, @Nullable Cause cause) {
    PublishOutcome outcome =
        cause == null
            ? PublishOutcome.UNCERTAIN
            : switch (cause) {
              case NONE -> PublishOutcome.CONFIRMED;
              case NO_ROUTE -> PublishOutcome.RETURNED;
              case NACKED, BLOCKED, NO_ROOM -> PublishOutcome.REJECTED;
              default -> PublishOutcome.UNCERTAIN;
            };
    if (outcome == PublishOutcome.CONFIRMED) {
      row.confirmed++;
      if (row.confirmed > 1 && !row.mayRepeat) {
        broken.add("twice: " + row);
      }
    } else if (outcome == PublishOutcome.UNCERTAIN) {
      row.mayRepeat = true;
    }
    return new PublishReceipt(
        submission.id(),
        submission.route().name(),
        outcome,
        cause == null ? Cause.NO_ANSWER : cause,
        "",
        DelayStrategy.IMMEDIATE,
        "",
        submission.deliverAt(),
        Duration.ZERO,
        false);
  }

  /** Only what hand-off asks of it. */
  private DelayStore store() {
    return (DelayStore)
        Proxy.newProxyInstance(
            DelayStore.class.getClassLoader(),
            new Class<?>[] {DelayStore.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "claim" ->
                      arguments.length == 1
                          ? claim((ClaimRequest) arguments[0])
                          : claim(
                              (MessageKey) arguments[0],
                              (Instant) arguments[1],
                              (Lease) arguments[2]);
                  case "conclude" -> conclude((Collection<?>) arguments[0]);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private void requireThere() {
    if (storeIsAway) {
      throw new StoreException("the store is away");
    }
  }

  private List<Claim> claim(ClaimRequest request) {
    requireThere();
    return rows.values().stream()
        .filter(row -> row.key.route().equals(request.route()) && row.claimable())
        .filter(row -> !row.nextAt.isAfter(request.horizon()))
        .sorted(Comparator.comparing(row -> row.nextAt))
        .limit(request.maxRows())
        .map(row -> row.claim(request.lease()))
        .toList();
  }

  private Optional<Claim> claim(MessageKey key, Instant horizon, Lease lease) {
    requireThere();
    Row row = rows.get(key);
    return row.claimable() && !row.nextAt.isAfter(horizon)
        ? Optional.of(row.claim(lease))
        : Optional.empty();
  }

  private List<Ended> conclude(Collection<?> conclusions) {
    if (storeIsAway) {
      conclusions.forEach(each -> rows.get(((Conclusion) each).claim().key()).mayRepeat = true);
      requireThere();
    }
    List<Ended> ended = conclusions.stream().map(each -> conclude((Conclusion) each)).toList();
    if (storeLosesAnswers) {
      throw new StoreException("the answer is lost");
    }
    return ended;
  }

  private Ended conclude(Conclusion end) {
    Row row = rows.get(end.claim().key());
    if (row.state != MessageState.PENDING || row.fence != end.claim().fence()) {
      return Ended.OVERTAKEN;
    }
    row.leaseUntil = null;
    switch (end.kind()) {
      case SENT -> row.state = MessageState.HELD;
      case DELETE -> throw new AssertionError("these are tracked");
      case GIVE_BACK -> {}
      case POSTPONE -> {
        row.nextAt = now().plus(end.pause());
        row.attempts++;
      }
      case PARK -> row.state = MessageState.PARKED;
    }
    row.fence++;
    return Ended.APPLIED;
  }
}
