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
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.rows.RowCodec;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testing.HandScheduler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Hand-off between a store and a broker that do as they are told, at a time that stands still. */
final class HandOffScene implements AutoCloseable {
  static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");
  static final String ROUTE = "work";
  private static final String HANDED_OFF = "handed-off";

  /** What was sent, in order. */
  final Queue<Submission> sent = new ArrayDeque<>();

  /** What the store was told, in order. */
  final Queue<Conclusion> concluded = new ArrayDeque<>();

  final HandScheduler time = new HandScheduler();
  final DefaultHandOff handOff;

  /** By the store's clock, which the test sets; that of {@link #time} is another one. */
  Instant now = NOW;

  boolean connected = true;

  /** Whether the store does not take conclusions. */
  boolean storeIsAway;

  /** How the broker answers. */
  Function<Submission, CompletableFuture<PublishReceipt>> broker =
      submission -> answered(submission, PublishOutcome.CONFIRMED, Cause.NONE);

  private final List<Claim> claimable = new ArrayList<>();
  private final DelayRoutes routes =
      DelayRoutes.builder()
          .route(route(ROUTE, Tracking.FULL))
          .route(route(HANDED_OFF, Tracking.HANDOFF))
          .build();

  HandOffScene() {
    DelayPlanner planner =
        new DelayPlanner(routes, new BrokerCapabilities("4.3.6", false, true, 0, "guest"));
    StoreRule rule = new StoreRule(routes, () -> planner, () -> now);
    handOff =
        new DefaultHandOff(
            store(),
            rule,
            new DefaultHandOff.Broker(this::publish, () -> connected),
            PocketwatchListener.NONE,
            time);
  }

  private static DelayRoute route(String name, Tracking tracking) {
    return DelayRoute.builder(name).exchange(name).tracking(tracking).build();
  }

  private CompletableFuture<PublishReceipt> publish(Submission submission) {
    sent.add(submission);
    return broker.apply(submission);
  }

  static CompletableFuture<PublishReceipt> answered(
      Submission submission, PublishOutcome outcome, Cause cause) {
    return CompletableFuture.completedFuture(
        new PublishReceipt(
            submission.id(),
            submission.route().name(),
            outcome,
            cause,
            outcome == PublishOutcome.CONFIRMED ? "" : "in the broker's words",
            DelayStrategy.IMMEDIATE,
            "",
            submission.deliverAt(),
            Duration.ZERO,
            false));
  }

  /** Only what hand-off asks of it. */
  private DelayStore store() {
    return (DelayStore)
        Proxy.newProxyInstance(
            DelayStore.class.getClassLoader(),
            new Class<?>[] {DelayStore.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "claim" -> claim((ClaimRequest) arguments[0]);
                  case "conclude" -> conclude((List<?>) arguments[0]);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private List<Claim> claim(ClaimRequest request) {
    List<Claim> claims = new ArrayList<>();
    for (Claim each : List.copyOf(claimable)) {
      if (each.key().route().equals(request.route())
          && !each.message().nextAt().isAfter(request.horizon())
          && claims.size() < request.maxRows()) {
        claimable.remove(each);
        claims.add(each);
      }
    }
    return claims;
  }

  private List<Ended> conclude(List<?> ends) {
    if (storeIsAway) {
      throw new StoreException("the store is away");
    }
    ends.forEach(each -> concluded.add((Conclusion) each));
    return ends.stream().map(each -> Ended.APPLIED).toList();
  }

  /** A row that waits to be claimed. */
  void stored(String id, Instant nextAt, int attempts, @Nullable String queue) {
    claimable.add(row(ROUTE, id, nextAt, attempts, queue));
  }

  private Claim row(String route, String id, Instant nextAt, int attempts, @Nullable String queue) {
    DelayPlanner planner =
        new DelayPlanner(routes, new BrokerCapabilities("4.3.6", false, true, 0, "guest"));
    Submission submission =
        planner.accept(DelayedMessage.to(route, "key").id(id).body("{}").deliverAt(nextAt), NOW);
    StoredMessage row =
        new StoredMessage(
            RowCodec.of(submission),
            MessageState.PENDING,
            1,
            attempts,
            nextAt,
            queue,
            null,
            NOW,
            NOW,
            null,
            null);
    return new Claim(row, "loader", 1, false);
  }

  /** What is not sent when due: by a loader. */
  CompletableFuture<HandOffResult> handOff(String id, int attempts) {
    return handOff.handOff(row(HANDED_OFF, id, NOW, attempts, null));
  }

  /** Of a neighbour of such a message. */
  HandOffResult lostChannel(String id) {
    Claim claim = row(HANDED_OFF, id, NOW, 0, null);
    return new HandOffResult(claim, PublishOutcome.UNCERTAIN, "lost", Problem.CHANNEL, false);
  }

  OptionalInt claimDue() {
    return handOff.claimDue(ROUTE, 1_000, "loader", event -> {});
  }

  /** Lets time pass until something has come; the store's clock stands still. */
  <T> T next(Queue<T> from) {
    for (int i = 0; i < 100 && from.isEmpty(); i++) {
      time.advance(Duration.ofMillis(100));
    }
    return Objects.requireNonNull(from.poll(), "nothing came within 10 s");
  }

  <T> T await(CompletableFuture<T> future) throws Exception {
    return time.await(future, Duration.ofSeconds(10));
  }

  @Override
  public void close() {
    handOff.stopTaking(Duration.ofSeconds(5));
    handOff.close();
  }
}
