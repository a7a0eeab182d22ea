// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.Tx;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.guard.Arrival.Stage;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.rows.HeldAgain;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.SettlingStore.Postponement;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What consumers say of the messages they were given. It is recorded in the store, together with
 * whatever else is said meanwhile, and then told to the broker. Thread-safe; nobody waits but for a
 * commit.
 */
final class ConsumerAnswers {
  private static final Logger LOG = LoggerFactory.getLogger(ConsumerAnswers.class);

  /** Said in a transaction of the channel that is not committed. */
  private record Uncommitted(Arrival arrival, Disposition said) {}

  private final DeliveryGuard guard;
  private final Channel channel;
  private final ChannelUse use;
  private final ChannelGuard intake;
  private final BrokerAnswers broker;
  private final HoldAgain onHold;

  /** The channel's: guards what follows, and the arrivals. */
  private final Object lock;

  /** With their consumers, by the tags these know. */
  private final NavigableMap<Long, Arrival> shown = new TreeMap<>();

  private final List<Uncommitted> uncommitted = new ArrayList<>();
  private long lastShown;
  private boolean transacted;

  ConsumerAnswers(
      DeliveryGuard guard,
      ChannelUse use,
      ChannelGuard intake,
      BrokerAnswers broker,
      HoldAgain onHold,
      Object lock) {
    this.guard = guard;
    this.channel = intake.channel();
    this.use = use;
    this.intake = intake;
    this.broker = broker;
    this.onHold = onHold;
    this.lock = lock;
    this.transacted = use.transacted();
  }

  /** Goes to its consumer now. Under the lock. */
  void show(Arrival arrived) {
    arrived.stage = Stage.HANDLED;
    arrived.shownTag = ++lastShown;
    shown.put(arrived.shownTag, arrived);
  }

  /** As its consumer gets it. */
  static Delivery withShownTag(Arrival arrived) {
    Envelope envelope = arrived.delivery().getEnvelope();
    return new Delivery(
        new Envelope(
            arrived.shownTag,
            envelope.isRedeliver(),
            envelope.getExchange(),
            envelope.getRoutingKey()),
        arrived.delivery().getProperties(),
        arrived.delivery().getBody());
  }

  /** Their connection is gone, and what was said in its transaction. Under the lock. */
  void lost(List<Arrival> all) {
    uncommitted.clear();
    for (Arrival one : all) {
      one.lost = true;
      if (one.stage == Stage.HANDLED && !one.started) {
        shown.remove(one.shownTag);
        one.stage = Stage.OVER;
        intake.release(one);
      } else if (one.stage == Stage.HANDLED && !one.underWay) {
        guard.leases().keepNoLonger(one.handling); // nobody is known to end it any more
      }
    }
  }

  /** Those that a tag means, of this connection: what was handed out and not answered. */
  List<Arrival> meant(long tag, boolean multiple) {
    synchronized (lock) {
      Collection<Arrival> meant =
          multiple && tag == 0
              ? shown.values()
              : multiple
                  ? shown.headMap(tag, true).values()
                  : shown.subMap(tag, true, tag, true).values();
      return meant.stream().filter(one -> !multiple || !one.lost).toList();
    }
  }

  void answer(long tag, boolean multiple, Disposition said) {
    List<Arrival> meant = meant(tag, multiple);
    List<Arrival> now = new ArrayList<>();
    List<Arrival> later = new ArrayList<>();
    for (Arrival one : meant) {
      (one.handling == null || transacted ? now : later).add(one);
    }
    if (!later.isEmpty() && !use.transaction().tell(done -> ended(later, said, done))) {
      now = meant; // there is none
    }
    if (transacted) {
      synchronized (lock) {
        now.forEach(one -> uncommitted.add(new Uncommitted(one, said)));
      }
    } else {
      say(now, said);
    }
  }

  /**
   * The consumer's own transaction has ended in which it said that. What it did not commit waits
   * for its consumer to return: a retry may say something else.
   */
  private void ended(List<Arrival> meant, Disposition said, boolean committed) {
    List<Arrival> now = new ArrayList<>();
    boolean inVain = said == Disposition.ACK && !committed;
    synchronized (lock) {
      for (Arrival one : meant) {
        if (one.underWay && (inVain || said != Disposition.ACK)) {
          one.later = inVain ? Disposition.REQUEUE : said;
          one.inVain = inVain;
        } else {
          now.add(one);
        }
      }
    }
    say(now, inVain ? Disposition.REQUEUE : said);
  }

  void say(List<Arrival> meant, Disposition said) {
    for (Arrival one : meant) {
      take(one, () -> record(one, said));
    }
  }

  /**
   * Its consumer answers for it; nothing is done if it had before. Where what it says fails, it has
   * still to answer: nobody else would, and its lease would be renewed for ever.
   */
  private void take(Arrival arrived, Runnable answer) {
    synchronized (lock) {
      if (arrived.stage != Stage.HANDLED) {
        return;
      }
      arrived.stage = Stage.ENDING;
      shown.remove(arrived.shownTag);
    }
    try {
      answer.run();
    } catch (RuntimeException | Error e) {
      synchronized (lock) {
        if (arrived.stage == Stage.ENDING) {
          arrived.stage = Stage.HANDLED;
          shown.put(arrived.shownTag, arrived);
        }
      }
      throw e;
    }
  }

  private void record(Arrival arrived, Disposition said) {
    Handling handling = arrived.handling;
    Throwable problem = arrived.problem;
    boolean failed = problem != null || said == Disposition.REJECT;
    Throwable cause = problem != null ? problem : new RejectedByConsumer();
    if (failed && !arrived.settledByConsumer) {
      guard.listener().onEvent(new ConsumerEvent.Failed(arrived.consumer(), arrived.key(), cause));
      if (said != Disposition.ACK && again(arrived, cause)) { // else a recoverer has taken it
        return;
      }
    }
    if (handling == null) {
      over(arrived, said, true);
    } else if (arrived.settledByConsumer) {
      settled(arrived, handling, said, Ended.APPLIED);
    } else if (failed) {
      guard.end(
          Ending.fail(handling, ErrorWords.of(cause)),
          end -> over(arrived, afterFailure(said, end), true));
    } else if (said == Disposition.REQUEUE) {
      guard.end(Ending.release(handling, null), end -> over(arrived, said, true));
    } else {
      guard.end(Ending.settle(handling), end -> settled(arrived, handling, said, end));
    }
  }

  /** Taken over, or not known to have failed: another look will tell. */
  private static Disposition afterFailure(Disposition said, @Nullable Ended end) {
    boolean known = end == Ended.APPLIED || end == Ended.OVERTAKEN && said == Disposition.ACK;
    return known ? said : Disposition.REQUEUE;
  }

  private void settled(Arrival arrived, Handling handling, Disposition said, @Nullable Ended end) {
    if (end == null) {
      LOG.warn("{} was handled, but could not be settled; it is handled again", handling.key());
      over(arrived, Disposition.REQUEUE, false);
      return;
    }
    if (end == Ended.APPLIED) {
      guard.listener().onEvent(new ConsumerEvent.Settled(arrived.consumer(), handling.key()));
    } else {
      LOG.warn(
          "{} was handled by {} too late: it was taken over", handling.key(), arrived.consumer());
      guard.listener().onEvent(new ConsumerEvent.Overtaken(arrived.consumer(), handling.key()));
    }
    over(arrived, arrived.settledByConsumer ? Disposition.ACK : said, end == Ended.APPLIED);
  }

  private void over(Arrival arrived, Disposition said, boolean recorded) {
    intake.leave(arrived, true);
    switch (said) {
      case ACK -> broker.acknowledge(arrived);
      case REJECT -> broker.reject(arrived, false);
      case REQUEUE -> broker.reject(arrived, true);
    }
    arrived.ended(recorded);
  }

  /** What a consumer says of one delivery beyond AMQP; see {@link GuardedDelivery}. */
  void failed(Arrival arrived, @Nullable Throwable problem) {
    synchronized (lock) {
      arrived.problem = problem;
    }
  }

  void settledByConsumer(Arrival arrived) {
    synchronized (lock) {
      arrived.settledByConsumer = true;
      guard.leases().keepNoLonger(arrived.handling);
    }
  }

  void started(Arrival arrived) {
    synchronized (lock) {
      arrived.started = true;
      arrived.underWay = true;
    }
  }

  void stillAnswered(Arrival arrived) {
    synchronized (lock) {
      arrived.later = null;
    }
  }

  void returned(Arrival arrived, boolean thrown) {
    Disposition later;
    synchronized (lock) {
      arrived.underWay = false;
      later = arrived.stage == Stage.HANDLED ? arrived.later : null;
      if (later != null && arrived.inVain && arrived.problem != null && !thrown) {
        later = Disposition.ACK; // a recoverer has taken it
      }
      if (arrived.lost && arrived.stage == Stage.HANDLED) {
        guard.leases().keepNoLonger(arrived.handling);
      }
    }
    if (later != null) {
      say(List.of(arrived), later);
    }
  }

  /**
   * Has it come again then. Returned to its queue it might be dropped, or come at once.
   *
   * @param cause why its work is not done; null if it is only put off
   */
  void defer(Arrival arrived, Instant until, @Nullable Throwable cause) {
    take(
        arrived,
        () -> {
          if (cause != null) {
            guard
                .listener()
                .onEvent(new ConsumerEvent.Failed(arrived.consumer(), arrived.key(), cause));
          }
          String reason = cause == null ? "deferred by its consumer" : ErrorWords.of(cause);
          Instant now = guard.now();
          Instant then = until.isBefore(now) ? now : until; // calendars and databases end somewhere
          again(arrived, then, false, reason);
        });
  }

  /** Has it come again as its route says; false if that says no more, and nothing is done. */
  boolean retry(Arrival arrived, Throwable cause) {
    int used = arrived.retries();
    if (arrived.settledByConsumer || used >= retries(arrived).size()) {
      return false;
    }
    take(
        arrived,
        () -> {
          guard
              .listener()
              .onEvent(new ConsumerEvent.Failed(arrived.consumer(), arrived.key(), cause));
          again(arrived, cause);
        });
    return true;
  }

  private List<Duration> retries(Arrival arrived) {
    return guard.retries(arrived.delivery(), use);
  }

  private boolean again(Arrival arrived, Throwable cause) {
    List<Duration> retries = retries(arrived);
    int used = arrived.retries();
    if (used >= retries.size()) {
      return false;
    }
    Duration pause = retries.get(used);
    Instant until = guard.now().plus(pause);
    String reason =
        "%s; retry %d of %d in %s"
            .formatted(ErrorWords.of(cause), used + 1, retries.size(), DurationText.format(pause));
    again(arrived, until, true, reason);
    return true;
  }

  /** By its row, if it has one; else the broker holds a copy. */
  private void again(Arrival arrived, Instant until, boolean retry, String reason) {
    Handling handling = arrived.handling;
    guard
        .listener()
        .onEvent(
            new ConsumerEvent.Deferred(
                arrived.consumer(), arrived.key(), arrived.attempts() + 2, until));
    if (handling == null) {
      holdForRetry(arrived, HeldAgain.deferred(arrived.delivery(), until, retry), until);
      return;
    }
    Postponement next = new Postponement(until, arrived.subscription().queue(), retry);
    guard.end(
        Ending.postpone(handling, next, reason),
        end -> {
          boolean recorded = end == Ended.APPLIED;
          over(arrived, recorded ? Disposition.ACK : Disposition.REQUEUE, recorded);
        });
  }

  /** Gives it up, for a human to look at. */
  void park(Arrival arrived, Handling handling, String reason, Consumer<Boolean> then) {
    take(
        arrived,
        () ->
            guard.end(
                Ending.park(handling, reason),
                end -> {
                  boolean parked = end == Ended.APPLIED;
                  over(arrived, parked ? Disposition.ACK : Disposition.REQUEUE, parked);
                  then.accept(parked);
                }));
  }

  private void holdForRetry(Arrival arrived, Delivery next, Instant until) {
    intake.leave(arrived, true);
    synchronized (lock) {
      arrived.stage = Stage.UNDECIDED;
    }
    onHold.holdAgain(arrived, next, until, null);
  }

  void acknowledgeNow(long tag) throws IOException {
    for (Arrival arrived : meant(tag, false)) {
      CompletableFuture<Boolean> recorded = new CompletableFuture<>();
      arrived.recorded = recorded;
      say(List.of(arrived), Disposition.ACK);
      boolean settled = recorded.join();
      broker.flush();
      if (!settled) {
        throw new IOException(arrived + " could not be settled; it comes again if it is to");
      }
    }
  }

  Tx.SelectOk select() throws IOException {
    Tx.SelectOk ok = channel.txSelect();
    transacted = true;
    return ok;
  }

  /**
   * What was sent is committed first: a message must not count as settled while what its consumer
   * sent for it can still be undone.
   */
  Tx.CommitOk commit() throws IOException {
    Tx.CommitOk sent = channel.txCommit();
    List<Uncommitted> said;
    synchronized (lock) {
      said = List.copyOf(uncommitted);
      uncommitted.clear();
    }
    if (said.isEmpty()) {
      return sent;
    }
    List<CompletableFuture<Boolean>> recorded = new ArrayList<>();
    for (Uncommitted one : said) {
      CompletableFuture<Boolean> end = new CompletableFuture<>();
      synchronized (lock) {
        if (one.arrival().stage == Stage.HANDLED) {
          one.arrival().recorded = end;
          recorded.add(end);
        }
      }
      say(List.of(one.arrival()), one.said());
    }
    CompletableFuture.allOf(recorded.toArray(new CompletableFuture<?>[0])).join();
    broker.flush();
    return channel.txCommit();
  }

  Tx.RollbackOk rollback() throws IOException {
    synchronized (lock) {
      uncommitted.clear();
    }
    return channel.txRollback();
  }

  Optional<GuardedDelivery> delivery(long tag) {
    synchronized (lock) {
      Arrival one = shown.get(tag);
      return one == null ? Optional.empty() : Optional.of(new GuardedDelivery(guard, this, one));
    }
  }

  /** What a consumer says of a message, as AMQP has it. */
  enum Disposition {
    ACK,
    REJECT,
    REQUEUE
  }

  /** What is known of a failure of which the consumer says nothing but that. */
  static final class RejectedByConsumer extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RejectedByConsumer() {
      super("rejected by its consumer", null, false, false);
    }
  }
}
