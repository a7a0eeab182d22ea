// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.rows.RequeuedHold;
import io.pocketwatch.internal.rows.RowCodec;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims rows, or has them inserted under a claim, and gives them to the {@link NearDueQueue}: one
 * way to the broker, for publishers and loaders. HANDOFF.md walks it.
 */
public final class DefaultHandOff implements HandOff, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DefaultHandOff.class);

  /** The most rows claimed after a change of many; the rest is left to the loaders. */
  private static final int MANY = 1_000;

  private static final long MANY_BYTES = 16L << 20;

  /** How late waiting messages are if this process dies. */
  private static final Duration NEAR_DUE_LEASE = Duration.ofSeconds(15);

  private final DelayStore store;
  private final StoreRule rule;
  private final Broker broker;
  private final Scheduler time;
  private final Lease lease;
  private final Lease nearDueLease;
  private final PoisonCandidates suspects;
  private final ClaimSender sender;
  private final ClaimEnds ends;
  private final NearDueQueue queue;

  /**
   * The broker's side of a hand-off.
   *
   * @param publish as {@link io.pocketwatch.DelayedPublisher#publish} does
   * @param connected whether there is a connection now
   */
  public record Broker(
      Function<Submission, CompletableFuture<PublishReceipt>> publish, BooleanSupplier connected) {}

  public DefaultHandOff(
      DelayStore store,
      StoreRule rule,
      Broker broker,
      PocketwatchListener listener,
      Scheduler time) {
    this.store = store;
    this.rule = rule;
    this.broker = broker;
    this.time = time;
    Duration length = rule.routes().loader().lease();
    this.lease = new Lease("publisher-" + UUID.randomUUID(), length);
    this.nearDueLease = nearDue(lease);
    this.suspects = new PoisonCandidates(time);
    this.sender = new ClaimSender(rule.routes(), broker, suspects, time);
    this.ends = new ClaimEnds(rule, suspects, new ConclusionWriter(store, length, time), listener);
    this.queue = new NearDueQueue(rule, sender, ends, time);
  }

  private static Lease nearDue(Lease lease) {
    return new Lease(lease.owner(), Collections.min(List.of(NEAR_DUE_LEASE, lease.length())));
  }

  @Override
  public Prepared prepare(DelayedMessage message) {
    return prepare(rule.planner().accept(message, rule.now()));
  }

  Prepared prepare(Submission submission) {
    rule.planner().requireSendable(submission);
    ScheduledMessage row = RowCodec.of(submission);
    Lease taken = row.tracking() == Tracking.FULL ? nearDueLease : lease;
    return new Prepared(row, rule.handOffNow(submission) ? taken : null, time.nanoTime());
  }

  @Override
  public CompletableFuture<HandOffResult> handOff(Claim claim) {
    // Callers ask in the first half of the lease, and a part must remain for the answer.
    long until = time.nanoTime() + lease.length().toNanos() / 4;
    return sender.send(claim, until).thenCompose(ends::sentFor);
  }

  @Override
  public Conclusion failed(HandOffResult result) {
    return ends.failed(result);
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
    StoredMessage fresh = StoredMessage.inserted(prepared.row(), rule.now());
    Claim claim = new Claim(fresh, given.owner(), 1, false);
    queue.add(new Claimed(claim, given, prepared.nanoTime(), null), patience);
  }

  /**
   * The lease for an insert. Not to claim a burst that is due soon is cheaper than to give it back.
   *
   * @return null without room for so many; a loader then claims them in time
   */
  @Nullable Lease ifRoom(@Nullable Lease asked, int rows) {
    return asked == nearDueLease && queue.room() < rows ? null : asked;
  }

  /**
   * Hands off in the background a row that was rescheduled or retried and may be near due. Never
   * throws: a row it cannot claim is left to the loaders.
   */
  public void rowChanged(MessageKey key) {
    claim(
        key.route(),
        (horizon, taken) -> store.claim(key, horizon, taken).map(List::of).orElse(List.of()));
  }

  /** As {@link #rowChanged}, for the earliest rows of a route, no more than there is room for. */
  public void routeChanged(String route) {
    claim(
        route,
        (horizon, taken) -> store.claim(new ClaimRequest(route, horizon, MANY, MANY_BYTES, taken)));
  }

  private void claim(String name, BiFunction<Instant, Lease, List<Claim>> claims) {
    try {
      long now = time.nanoTime();
      DelayRoute route = rule.routes().named(name);
      Lease taken = StoreRule.sentWhenDue(route) ? nearDueLease : lease;
      claims
          .apply(rule.horizon(route), taken)
          .forEach(claim -> queue.add(new Claimed(claim, taken, now, null), Duration.ZERO));
    } catch (RuntimeException e) {
      LOG.debug("{} is left to the loaders", name, e);
    }
  }

  @Override
  public OptionalInt claimDue(String route, int rows, String owner, Consumer<List<Claim>> claimed) {
    int most = Math.min(rows, NearDueQueue.ROOM);
    if (queue.room() < most) {
      return OptionalInt.empty();
    }
    long now = time.nanoTime();
    Lease taken = nearDue(new Lease(owner, lease.length()));
    Instant claimedAt = rule.now();
    Instant until = claimedAt.plus(StoreRule.NEAR_DUE);
    List<Claim> claims = store.claim(new ClaimRequest(route, until, most, MANY_BYTES, taken));
    claimed.accept(claims);
    int added = 0;
    for (Claim claim : claims) {
      if (queue.add(new Claimed(claim, taken, now, claimedAt), Duration.ZERO)) {
        added++;
      }
    }
    return added == 0 && !claims.isEmpty() ? OptionalInt.empty() : OptionalInt.of(added);
  }

  @Override
  public int claimedDue(String route) {
    return queue.open(route);
  }

  @Override
  public CompletableFuture<PublishReceipt> holdAgain(
      String queue, Delivery received, Instant until) {
    return broker.publish.apply(
        RequeuedHold.submission(queue, received, until, rule.now(), rule.routes()));
  }

  @Override
  public DelayRoutes routes() {
    return rule.routes();
  }

  @Override
  public Instant now() {
    return rule.now();
  }

  @Override
  public Instant horizon() {
    return rule.horizon();
  }

  /** Hands off committed rows, for at most so long. Those not due yet are given back. */
  public void stopTaking(Duration patience) {
    queue.close(patience);
  }

  /** Call it after the last confirm: writes the remaining conclusions. */
  @Override
  public void close() {
    suspects.close();
    ends.close();
  }
}
