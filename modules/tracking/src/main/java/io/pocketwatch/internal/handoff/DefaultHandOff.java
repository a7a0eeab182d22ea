// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import com.rabbitmq.client.Delivery;
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
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.LoaderOptions;
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
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoreEvent;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes claimed rows to the broker and ends their claims: one way, for publishers and loaders. What
 * the store holds until it is due waits here for the last two seconds, and is sent straight to its
 * target.
 */
public final class DefaultHandOff implements HandOff, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DefaultHandOff.class);
  private static final int WAITING = 10_000;

  /** How many rows are claimed after a change of many; the rest is for the loaders. */
  private static final int MANY = 1_000;

  private static final long MANY_BYTES = 16L << 20;

  /** By so much what waits here is late if this process dies. */
  private static final Duration NEAR_DUE_LEASE = Duration.ofSeconds(15);

  /** Another message that was confirmed since then shows that the broker takes messages. */
  private static final Duration LATELY = Duration.ofSeconds(30);

  private final DelayStore store;
  private final DelayRoutes routes;
  private final Supplier<DelayPlanner> planner;
  private final StoreRule rule;
  private final Broker broker;
  private final PocketwatchListener listener;
  private final FailureRule failures;
  private final Lease lease;
  private final Lease nearDueLease;
  private final ConclusionWriter conclusions;
  private final GroupCommit<Claimed> nearDue;
  private final Map<String, Integer> claimedDue = new ConcurrentHashMap<>();
  private final Suspects suspects = new Suspects();
  private final GroupCommit<Claimed> waiting;
  private final LongSupplier nanos;
  private volatile long lastConfirmed;
  private volatile long lookedForOver;

  /**
   * The broker as hand-off needs it.
   *
   * @param publish as {@link io.pocketwatch.DelayedPublisher#publish} does
   * @param connected whether there is a connection now
   */
  public record Broker(
      Function<Submission, CompletableFuture<PublishReceipt>> publish, BooleanSupplier connected) {}

  public DefaultHandOff(
      DelayStore store,
      DelayRoutes routes,
      Supplier<DelayPlanner> planner,
      StoreRule rule,
      Broker broker,
      PocketwatchListener listener) {
    this(store, routes, planner, rule, broker, listener, System::nanoTime);
  }

  DefaultHandOff(
      DelayStore store,
      DelayRoutes routes,
      Supplier<DelayPlanner> planner,
      StoreRule rule,
      Broker broker,
      PocketwatchListener listener,
      LongSupplier nanos) {
    this.nanos = nanos;
    this.lastConfirmed = nanos.getAsLong() - LATELY.toNanos();
    this.lookedForOver = nanos.getAsLong();
    this.store = store;
    this.routes = routes;
    this.planner = planner;
    this.rule = rule;
    this.broker = broker;
    this.listener = listener;
    LoaderOptions loader = routes.loader();
    this.failures = new FailureRule(loader);
    this.lease = new Lease("publisher-" + UUID.randomUUID(), loader.lease());
    this.nearDueLease = nearDue(lease);
    this.conclusions = new ConclusionWriter(store, loader.lease());
    this.nearDue =
        new GroupCommit<>(
            "pocketwatch-near-due",
            1,
            WAITING,
            Claimed::bodyLength,
            100,
            each -> nanos(each.claim().message().nextAt()),
            () -> nanos(rule.now()), // of the store's clock, which is never ahead here
            this::send);
    this.waiting =
        new GroupCommit<>(
            "pocketwatch-hand-off", 1, WAITING, Claimed::bodyLength, 1_000, this::send);
  }

  private static Lease nearDue(Lease lease) {
    return new Lease(lease.owner(), Collections.min(List.of(NEAR_DUE_LEASE, lease.length())));
  }

  private static long nanos(Instant instant) {
    return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
  }

  @Override
  public Prepared prepare(DelayedMessage message) {
    return prepare(planner.get().accept(message, rule.now()));
  }

  Prepared prepare(Submission submission) {
    planner.get().requireSendable(submission);
    ScheduledMessage row = RowCodec.of(submission);
    Lease taken = row.tracking() == Tracking.FULL ? nearDueLease : lease;
    return new Prepared(row, rule.handOffNow(submission) ? taken : null, nanos.getAsLong());
  }

  @Override
  public CompletableFuture<HandOffResult> handOff(Claim claim) {
    // Whoever asks does so in the first half of the lease, and a part remains for the answer.
    long until = nanos.getAsLong() + routes.loader().lease().toNanos() / 4;
    return inTurn(claim, until, () -> publishAndMark(claim));
  }

  /** A suspect waits for those before it, for so long that others may have sent it meanwhile. */
  private CompletableFuture<HandOffResult> inTurn(
      Claim claim, long until, Supplier<CompletableFuture<HandOffResult>> publish) {
    if (!suspects.contains(claim.key())) {
      return publish.get();
    }
    return suspects.inTurn(
        () ->
            nanos.getAsLong() - until > 0
                ? CompletableFuture.completedFuture(tooLate(claim))
                : publish.get());
  }

  private static HandOffResult tooLate(Claim claim) {
    String why = "not sent: its lease ends before its turn has come";
    return new HandOffResult(claim, PublishOutcome.REJECTED, why, Problem.BROKER, false);
  }

  private CompletableFuture<HandOffResult> publishAndMark(Claim claim) {
    return publish(claim)
        .thenCompose(
            result ->
                result.confirmed()
                    ? conclusions.write(confirmed(claim)).thenApply(result::marked)
                    : CompletableFuture.completedFuture(result))
        .thenApply(this::told);
  }

  private HandOffResult told(HandOffResult result) {
    listener.onEvent(new StoreEvent.HandedOff(result));
    return result;
  }

  @Override
  public Conclusion failed(HandOffResult result) {
    boolean othersPass = nanos.getAsLong() - lastConfirmed < LATELY.toNanos();
    boolean suspect = suspects.contains(result.claim().key());
    if (result.problem() == Problem.CHANNEL) {
      suspects.add(result.claim().key());
    }
    Conclusion end = failures.decide(result, rule.now(), suspect && othersPass);
    if (end.kind() == Conclusion.Kind.PARK) {
      suspects.remove(result.claim().key());
    }
    return end;
  }

  private Conclusion confirmed(Claim claim) {
    if (claim.message().message().tracking() == Tracking.NONE
        && claim.message().nextQueue() == null) {
      return Conclusion.delete(claim);
    }
    return Conclusion.sent(claim, claim.message().sentWhenDue() ? rule.now() : heldUntil(claim));
  }

  /** What becomes of it at the broker. */
  private CompletableFuture<HandOffResult> publish(Claim claim) {
    CompletableFuture<HandOffResult> result = publish(claim, claim.message());
    if (claim.message().nextQueue() == null) {
      return result;
    }
    return result.thenCompose(
        sent ->
            sent.problem() == Problem.TARGET // the queue is gone, and its consumer has another
                ? publish(claim, claim.message().toAll())
                : CompletableFuture.completedFuture(sent));
  }

  private CompletableFuture<HandOffResult> publish(Claim claim, StoredMessage copy) {
    CompletableFuture<PublishReceipt> published;
    try {
      Submission submission = RowCodec.read(copy, routes);
      published =
          broker.publish.apply(
              suspects.contains(claim.key()) ? submission.onChannelOfItsOwn() : submission);
    } catch (InvalidMessageException e) {
      return CompletableFuture.completedFuture(failed(claim, Problem.MESSAGE, e));
    } catch (RuntimeException e) { // its neighbours must go on
      LOG.warn("{} cannot be handed off, for a reason that nobody foresaw", claim.key(), e);
      return CompletableFuture.completedFuture(failed(claim, Problem.UNFORESEEN, e));
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
          } else {
            result.complete(result(claim, receipt));
          }
        });
    return result;
  }

  private HandOffResult result(Claim claim, PublishReceipt receipt) {
    if (receipt.outcome() == PublishOutcome.CONFIRMED) {
      lastConfirmed = nanos.getAsLong();
      suspects.remove(claim.key());
      return new HandOffResult(claim, PublishOutcome.CONFIRMED, "", Problem.NONE, false);
    }
    return new HandOffResult(
        claim, receipt.outcome(), receipt.detail(), problem(claim, receipt), false);
  }

  /** Asked here and now: a moment later the connection may be another one. */
  private Problem problem(Claim claim, PublishReceipt receipt) {
    if (receipt.outcome() == PublishOutcome.RETURNED) {
      return Problem.TARGET;
    }
    if (receipt.cause() == Cause.NO_EXCHANGE || receipt.cause() == Cause.EXCHANGE_REFUSED) {
      suspects.add(claim.key()); // each try closes its channel
      return receipt.strategy() == DelayStrategy.IMMEDIATE ? Problem.TARGET : Problem.HOLD;
    }
    if (receipt.cause() == Cause.CHANNEL_LOST && broker.connected.getAsBoolean()) {
      return Problem.CHANNEL;
    }
    boolean silent = receipt.cause() == Cause.NO_ANSWER || receipt.cause() == Cause.NO_ROOM;
    if (silent && claim.message().sentWhenDue() && broker.connected.getAsBoolean()) {
      return Problem.SILENCE;
    }
    if (receipt.cause() != Cause.NACKED) {
      return Problem.BROKER;
    }
    return receipt.strategy() == DelayStrategy.IMMEDIATE ? Problem.REFUSED : Problem.HOLD;
  }

  @Override
  public void committed(Prepared prepared) {
    committed(prepared, Duration.ZERO);
  }

  /**
   * A burst that is due soon finds no room: it is cheaper not to claim it than to give it back.
   *
   * @return null without room for so many; a loader then claims them in time
   */
  @Nullable Lease ifRoom(@Nullable Lease asked, int rows) {
    return asked == nearDueLease && nearDue.room() < rows ? null : asked;
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
    StoredMessage fresh = StoredMessage.inserted(row, now);
    add(
        new Claimed(new Claim(fresh, given.owner(), 1, false), given, prepared.nanoTime(), null),
        patience);
  }

  /**
   * Hands off in the background a row that was moved and may be near due. Never throws: what it
   * cannot have is left to the loaders.
   */
  public void rowChanged(MessageKey key) {
    claim(
        key.route(),
        (horizon, taken) -> store.claim(key, horizon, taken).map(List::of).orElse(List.of()));
  }

  /** The same for rows of a route, the earliest ones, and no more than find room here. */
  public void routeChanged(String route) {
    claim(
        route,
        (horizon, taken) -> store.claim(new ClaimRequest(route, horizon, MANY, MANY_BYTES, taken)));
  }

  private void claim(String name, BiFunction<Instant, Lease, List<Claim>> claims) {
    try {
      long now = nanos.getAsLong();
      DelayRoute route = routes.named(name);
      Lease taken = StoreRule.sentWhenDue(route) ? nearDueLease : lease;
      claims
          .apply(rule.horizon(route), taken)
          .forEach(claim -> add(new Claimed(claim, taken, now, null), Duration.ZERO));
    } catch (RuntimeException e) {
      LOG.debug("{} is left to the loaders", name, e);
    }
  }

  @Override
  public OptionalInt claimDue(String route, int rows, String owner, Consumer<List<Claim>> claimed) {
    int most = Math.min(rows, WAITING);
    if (nearDue.room() < most) {
      return OptionalInt.empty();
    }
    long now = nanos.getAsLong();
    Lease taken = nearDue(new Lease(owner, routes.loader().lease()));
    Instant claimedAt = rule.now();
    Instant until = claimedAt.plus(StoreRule.NEAR_DUE);
    List<Claim> claims = store.claim(new ClaimRequest(route, until, most, MANY_BYTES, taken));
    claimed.accept(claims);
    int added = 0;
    for (Claim claim : claims) {
      claimedDue.merge(route, 1, Integer::sum);
      if (add(new Claimed(claim, taken, now, claimedAt), Duration.ZERO)) {
        added++;
      }
    }
    return added == 0 && !claims.isEmpty() ? OptionalInt.empty() : OptionalInt.of(added);
  }

  @Override
  public int claimedDue(String route) {
    giveBackWhatIsOver();
    return claimedDue.getOrDefault(route, 0);
  }

  /**
   * When the store's clock is set back, what waits here is due that much later. Until then it would
   * take places from what is due now, and count as what its route waits for.
   */
  private void giveBackWhatIsOver() {
    long now = nanos.getAsLong();
    if (now - lookedForOver < NEAR_DUE_LEASE.toNanos()) {
      return;
    }
    lookedForOver = now;
    Instant due = rule.now();
    nearDue
        .takeOut(
            each -> now - each.leaseOver(1) > 0 && due.isBefore(each.claim().message().nextAt()))
        .forEach(this::giveBack);
  }

  private void giveBack(Claimed each) {
    LOG.debug("{} is left to the loaders", each.claim().key());
    ended(each);
    conclude(Conclusion.giveBack(each.claim())); // it may be due long before its lease is over
  }

  /** It was answered, or is sent by others. */
  private void ended(Claimed each) {
    if (each.looked()) {
      claimedDue.computeIfPresent(
          each.claim().key().route(), (route, count) -> count == 1 ? null : count - 1);
    }
  }

  private boolean add(Claimed one, Duration patience) {
    boolean added =
        one.claim().message().sentWhenDue()
            ? nearDue.add(one, Duration.ZERO)
            : waiting.add(one, patience);
    if (!added) {
      giveBack(one);
    }
    return added;
  }

  private void send(List<Claimed> all) {
    for (Claimed each : all) {
      try {
        send(each);
      } catch (RuntimeException | Error e) { // its neighbours must go on, and its route
        LOG.error("{} is sent again when its lease ends", each.claim().key(), e);
        ended(each);
      }
    }
  }

  private void send(Claimed each) {
    Claim claim = each.claim();
    boolean early = claim.message().sentWhenDue() && rule.now().isBefore(claim.message().nextAt());
    if (early && nearDue.add(each, Duration.ZERO)) {
      return; // the store's clock was measured anew
    }
    if (early || nanos.getAsLong() - each.leaseOver(2) > 0) {
      // This is being closed. Or after a long transaction, or a long wait here, a loader may have
      // it, or it was cancelled.
      giveBack(each);
      return;
    }
    CompletableFuture<HandOffResult> sent = inTurn(claim, each.leaseOver(2), () -> publish(claim));
    CompletableFuture<HandOffResult> unused =
        sent.whenComplete(
            (result, error) -> {
              ended(each);
              if (error != null) {
                LOG.debug("{} is left to the loaders", claim.key(), error);
                conclude(Conclusion.giveBack(claim).unknown());
              } else {
                told(result);
                conclude(each, result);
              }
            });
  }

  private void conclude(Claimed each, HandOffResult result) {
    Claim claim = each.claim();
    if (!result.confirmed()) {
      LOG.debug("{} was not taken: {}", claim.key(), result);
      Conclusion end = failed(result);
      conclude(end);
      told(end, result.problem());
    } else if (claim.message().sentWhenDue()
        && claim.message().nextQueue() == null
        && !each.wasLate()) {
      conclusions.writeLater(confirmed(claim), each.leaseOver(3));
    } else {
      conclude(confirmed(claim));
    }
  }

  private void told(Conclusion end, Problem problem) {
    MessageKey key = end.claim().key();
    String reason = String.valueOf(end.reason());
    if (end.kind() == Conclusion.Kind.PARK) {
      LOG.warn("Parked {}: {}", key, reason);
      listener.onEvent(new StoreEvent.Parked(key, reason));
    } else if (problem == Problem.TARGET || problem == Problem.REFUSED) {
      listener.onEvent(new StoreEvent.TargetMissing(key, reason));
    }
  }

  private void conclude(Conclusion end) {
    CompletableFuture<Boolean> unused = conclusions.write(end);
  }

  /**
   * @param nanoTime before the lease began
   * @param lookedAt when {@link #claimDue} has claimed it, or null
   */
  private record Claimed(Claim claim, Lease lease, long nanoTime, @Nullable Instant lookedAt) {
    boolean looked() {
      return lookedAt != null;
    }

    /** Its neighbours wait behind it where it is claimable, so its mark must not. */
    boolean wasLate() {
      return lookedAt != null && claim.message().nextAt().isBefore(lookedAt);
    }

    /** The nanoseconds at which that part of its lease is over. */
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
    return broker.publish.apply(HeldAgain.submission(queue, received, until, rule.now(), routes));
  }

  @Override
  public DelayRoutes routes() {
    return routes;
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

  private static HandOffResult failed(Claim claim, Problem problem, Throwable error) {
    return new HandOffResult(claim, PublishOutcome.REJECTED, ErrorWords.of(error), problem, false);
  }

  /** Hands off what was committed, for at most so long. What is not due yet is given back. */
  public void stopTaking(Duration patience) {
    nearDue.close(patience);
    waiting.close(patience);
  }

  /** After the last confirm: the conclusions it brought are written. */
  @Override
  public void close() {
    suspects.close();
    conclusions.close();
  }
}
