// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.config.StorePolicy.Tracking;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.batch.GroupCommit;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.rows.HeldAgain;
import io.pocketwatch.internal.rows.RowCodec;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.LoadingStore.HeldMark;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoreEvent;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes claimed rows to the broker and has them marked: one way, for publishers and loaders. */
public final class DefaultHandOff implements HandOff, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DefaultHandOff.class);
  private static final int WAITING = 10_000;

  /** How many rows are claimed after a change of many; the rest is for the loaders. */
  private static final int MANY = 1_000;

  private static final long MANY_BYTES = 16L << 20;

  /** What is due so soon waits here, and not on the broker; less than half of any lease. */
  public static final Duration NEAR_DUE = Duration.ofSeconds(2);

  /**
   * By so much what waits here is late if this process dies. Only {@code FULL} rows wait under it:
   * of others a broker that takes longer to confirm would be sent a second copy, which nobody
   * skips.
   */
  private static final Duration NEAR_DUE_LEASE = Duration.ofSeconds(15);

  private final DelayStore store;
  private final DelayRoutes routes;
  private final Supplier<DelayPlanner> planner;
  private final StoreRule rule;
  private final Function<Submission, CompletableFuture<PublishReceipt>> publisher;
  private final BrokerEpoch epoch;
  private final PocketwatchListener listener;
  private final Lease lease;
  private final HeldMarker endings;
  private final Lease nearDueLease;
  private final GroupCommit<Committed> nearDue;
  private final GroupCommit<Committed> waiting;

  public DefaultHandOff(
      DelayStore store,
      DelayRoutes routes,
      Supplier<DelayPlanner> planner,
      StoreRule rule,
      Function<Submission, CompletableFuture<PublishReceipt>> publisher,
      BrokerEpoch epoch,
      PocketwatchListener listener) {
    this.store = store;
    this.routes = routes;
    this.planner = planner;
    this.rule = rule;
    this.publisher = publisher;
    this.epoch = epoch;
    this.listener = listener;
    LoaderOptions loader = routes.loader();
    this.lease = new Lease("publisher-" + UUID.randomUUID(), loader.lease());
    Duration shorter = Collections.min(List.of(NEAR_DUE_LEASE, loader.lease()));
    this.nearDueLease = new Lease(lease.owner(), shorter);
    this.endings = new HeldMarker(store, loader.lease());
    this.nearDue =
        new GroupCommit<>(
            "pocketwatch-near-due",
            1,
            WAITING,
            Committed::bodyLength,
            100,
            each -> nanosUntil(each.claim().message().message()),
            this::handOffCommitted);
    this.waiting =
        new GroupCommit<>(
            "pocketwatch-hand-off",
            1,
            WAITING,
            Committed::bodyLength,
            1_000,
            this::handOffCommitted);
  }

  /** On the store's clock, which is never ahead here. */
  private Duration until(ScheduledMessage row) {
    return Duration.between(rule.now(), row.deliverAt());
  }

  /** Of one that may wait here. */
  private long nanosUntil(ScheduledMessage row) {
    Duration left = until(row);
    return left.isNegative() ? 0 : left.toNanos();
  }

  @Override
  public Prepared prepare(DelayedMessage message) {
    return prepare(planner.get().accept(message, rule.now()));
  }

  Prepared prepare(Submission submission) {
    planner.get().requireSendable(submission);
    ScheduledMessage row = RowCodec.of(submission);
    Lease taken = mayWait(row) ? nearDueLease : lease;
    return new Prepared(row, rule.handOffNow(submission) ? taken : null, System.nanoTime());
  }

  private boolean mayWait(ScheduledMessage row) {
    return row.tracking() == Tracking.FULL && until(row).compareTo(NEAR_DUE) <= 0;
  }

  @Override
  public CompletableFuture<HandOffResult> handOff(Claim claim) {
    return handOff(claim, null);
  }

  /**
   * @param markFrom the {@link System#nanoTime} from which it is marked if it was due, or null to
   *     mark it at once
   */
  private CompletableFuture<HandOffResult> handOff(Claim claim, @Nullable Long markFrom) {
    CompletableFuture<HandOffResult> result = publishAndMark(claim, markFrom);
    result.thenAccept(done -> listener.onEvent(new StoreEvent.HandedOff(done)));
    return result;
  }

  private CompletableFuture<HandOffResult> publishAndMark(Claim claim, @Nullable Long markFrom) {
    String heldIn;
    CompletableFuture<PublishReceipt> published;
    try {
      heldIn = heldIn(claim);
      published = publisher.apply(RowCodec.read(claim.message(), routes));
    } catch (InvalidMessageException e) {
      return done(claim, Problem.MESSAGE, e);
    } catch (IOException | TimeoutException | StoreException | ShutdownSignalException e) {
      return done(claim, Problem.BROKER, e);
    } catch (RuntimeException e) { // its neighbours must go on
      LOG.warn("{} cannot be handed off, for a reason that nobody foresaw", claim.key(), e);
      return done(claim, Problem.UNFORESEEN, e);
    }
    CompletableFuture<HandOffResult> result = new CompletableFuture<>();
    published.whenComplete(
        (receipt, error) -> {
          if (error instanceof InvalidMessageException) {
            result.complete(failed(claim, Problem.MESSAGE, error));
          } else if (error instanceof UnknownTargetException
              || error instanceof TopologyException) {
            result.complete(failed(claim, Problem.TARGET, error));
          } else if (error != null) {
            result.completeExceptionally(error);
          } else if (receipt.outcome() == PublishOutcome.CONFIRMED) {
            HeldMark mark = new HeldMark(claim, heldUntil(claim), heldIn);
            if (markFrom != null
                && receipt.strategy() == DelayStrategy.IMMEDIATE
                && claim.message().message().tracking() == Tracking.FULL) {
              endings.heldUnlessSettled(mark, result, markFrom);
            } else {
              endings.held(mark, result);
            }
          } else {
            result.complete(
                new HandOffResult(
                    claim, receipt.outcome(), receipt.detail(), problem(receipt), false));
          }
        });
    return result;
  }

  private static Problem problem(PublishReceipt receipt) {
    if (receipt.outcome() == PublishOutcome.RETURNED) {
      return Problem.TARGET;
    }
    if (receipt.cause() != Cause.NACKED) {
      return Problem.BROKER;
    }
    return receipt.strategy() == DelayStrategy.IMMEDIATE ? Problem.REFUSED : Problem.HOLD;
  }

  /** Read before sending: a disk lost meanwhile then makes the row one of the lost. */
  private @Nullable String heldIn(Claim claim) throws IOException, TimeoutException {
    boolean marked = claim.message().message().tracking() != Tracking.NONE;
    boolean mayDeclare = routes.hold().topology() == TopologyMode.DECLARE;
    return marked && mayDeclare ? epoch.verify() : null;
  }

  @Override
  public void committed(Prepared prepared) {
    committed(prepared, Duration.ZERO);
  }

  /**
   * @param patience how long to wait for room; without any, a loader looks for the row within a
   *     second
   */
  void committed(Prepared prepared, Duration patience) {
    Lease given = prepared.lease();
    if (given == null) {
      return;
    }
    ScheduledMessage row = prepared.row();
    Instant now = rule.now();
    StoredMessage fresh =
        new StoredMessage(row, MessageState.PENDING, 1, 0, null, null, now, now, null, null);
    add(new Committed(new Claim(fresh, given.owner(), 1), given, prepared.nanoTime()), patience);
  }

  /**
   * Hands off in the background a row that was moved and may be near due. Never throws: what it
   * cannot have is left to the loaders.
   */
  public void moved(MessageKey key) {
    claim(
        key.route(),
        (horizon, taken) -> store.claim(key, horizon, taken).map(List::of).orElse(List.of()));
  }

  /** The same for rows of a route, the earliest ones, and no more than find room here. */
  public void manyMoved(String route) {
    claim(
        route,
        (horizon, taken) -> store.claim(new ClaimRequest(route, horizon, MANY, MANY_BYTES, taken)));
  }

  private void claim(String name, BiFunction<Instant, Lease, List<Claim>> claims) {
    try {
      long now = System.nanoTime();
      DelayRoute route = routes.named(name);
      boolean full = route != null && route.store().tracking() == Tracking.FULL;
      Lease taken = full ? nearDueLease : lease;
      claims
          .apply(rule.horizon(route), taken)
          .forEach(claim -> add(new Committed(claim, taken, now), Duration.ZERO));
    } catch (RuntimeException e) {
      LOG.debug("{} is left to the loaders", name, e);
    }
  }

  /** What finds no room to wait for its instant here goes through the hold queues. */
  private void add(Committed one, Duration patience) {
    boolean soonOver = one.lease().length().compareTo(NEAR_DUE_LEASE) <= 0;
    boolean waits =
        soonOver && mayWait(one.claim().message().message()) && nearDue.add(one, Duration.ZERO);
    if (!waits && !waiting.add(one, patience)) {
      endings.givenBack(one.claim(), false); // it may be due long before its lease is over
    }
  }

  private void handOffCommitted(List<Committed> all) {
    for (Committed each : all) {
      Claim claim = each.claim();
      if (System.nanoTime() - each.leaseOver(2) > 0) {
        // After a long transaction, or a long wait here, a loader may have it, or it was cancelled.
        LOG.debug("{} is left to the loaders, as its lease is ending", claim.key());
        endings.givenBack(claim, false);
        continue;
      }
      handOff(claim, each.leaseOver(3))
          .whenComplete(
              (result, error) -> {
                if (error != null || !result.confirmed()) {
                  LOG.debug("{} is left to the loaders: {}", claim.key(), result, error);
                  endings.givenBack(claim, error != null || mayBeHeld(result));
                }
              });
    }
  }

  /** Refused by one queue of its target, another may have it. */
  private static boolean mayBeHeld(HandOffResult result) {
    return result.outcome() == PublishOutcome.UNCERTAIN || result.problem() == Problem.REFUSED;
  }

  private record Committed(Claim claim, Lease lease, long nanoTime) {
    /** The {@link System#nanoTime} at which that part of its lease is over. */
    long leaseOver(int part) {
      return nanoTime + lease.length().toNanos() / part;
    }

    int bodyLength() {
      return claim.message().message().body().length;
    }
  }

  @Override
  public CompletableFuture<PublishReceipt> holdAgain(
      String queue, Delivery received, Instant until) {
    return publisher.apply(HeldAgain.submission(queue, received, until, rule.now(), routes));
  }

  @Override
  public DelayRoutes routes() {
    return routes;
  }

  @Override
  public Optional<String> epoch() {
    if (routes.hold().topology() != TopologyMode.DECLARE) {
      return Optional.empty();
    }
    try {
      return Optional.of(epoch.verify());
    } catch (IOException | TimeoutException | StoreException e) {
      LOG.debug("The epoch is not known now", e);
      return Optional.empty();
    }
  }

  @Override
  public Instant now() {
    return rule.now();
  }

  @Override
  public Instant horizon() {
    return rule.horizon();
  }

  /** The copy leaves its hold when due, at the latest when that is over. */
  private Instant heldUntil(Claim claim) {
    Instant now = rule.now();
    Instant due = claim.message().deliverAt();
    DelayRoute route = routes.named(claim.key().route());
    Duration own = route == null ? null : route.resolution();
    return (due.isBefore(now) ? now : due)
        .plus(routes.hold().wheel().resolution())
        .plus(own == null ? Duration.ZERO : own);
  }

  private static CompletableFuture<HandOffResult> done(
      Claim claim, Problem problem, Throwable error) {
    return CompletableFuture.completedFuture(failed(claim, problem, error));
  }

  private static HandOffResult failed(Claim claim, Problem problem, Throwable error) {
    return new HandOffResult(claim, PublishOutcome.REJECTED, ErrorWords.of(error), problem, false);
  }

  /** Hands off what was committed, for at most so long. What is not due yet goes to be held. */
  public void stopTaking(Duration patience) {
    nearDue.close(patience);
    waiting.close(patience);
  }

  /** After the last confirm: the marks it brought are written. */
  @Override
  public void close() {
    endings.close();
  }
}
