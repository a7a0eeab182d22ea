// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.guard.Arrival.Stage;
import io.pocketwatch.guard.GuardDecision.Reason;
import io.pocketwatch.plan.HeldAgain;
import io.pocketwatch.store.Begun;
import io.pocketwatch.store.Ending;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a queue's messages through the guard to their handler; see {@link DeliveryGuard}. Neither
 * the channel's thread nor the handler's waits for the store: both are done when they have asked.
 */
public final class GuardedConsumer extends DefaultConsumer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedConsumer.class);

  /** Before a message is handled again that failed and was returned before. */
  private static final Duration BEFORE_RETRY = Duration.ofSeconds(10);

  /** For what was handled to be settled and acknowledged, when this is closed. */
  private static final Duration LAST_ANSWERS = Duration.ofSeconds(10);

  private final DeliveryGuard guard;
  private final String queue;
  private final Map<String, Object> arguments;
  private final String consumer;
  private final GuardedHandler handler;

  /** Hands out, answers the broker and puts on hold, each in order; none waits for another. */
  private final Serial turn;

  private final Serial answers;
  private final Serial holds;

  /** Guards what follows, and the arrivals. */
  private final Object lock = new Object();

  /** What the broker is not answered for yet. */
  private final NavigableMap<Long, Arrival> open = new TreeMap<>();

  /** Not to be begun yet. */
  private final Queue<Arrival> behind = new ArrayDeque<>();

  private final LookAhead lookAhead;
  private final List<Arrival> acknowledged = new ArrayList<>();
  private int begun;
  private boolean paused;
  private boolean closed;

  private volatile boolean ended;

  GuardedConsumer(
      DeliveryGuard guard,
      Channel channel,
      String queue,
      Map<String, Object> arguments,
      GuardedHandler handler) {
    super(channel);
    this.guard = guard;
    this.queue = queue;
    this.arguments = arguments;
    this.consumer = guard.requireConsumer(queue);
    this.handler = handler;
    this.turn = guard.serial();
    this.answers = guard.serial();
    this.holds = guard.serial();
    this.lookAhead = new LookAhead(guard.options().handlingLease());
    channel.addShutdownListener(cause -> lost());
  }

  /** Whether the broker sends messages here. Thread-safe. */
  public boolean isConsuming() {
    return !ended && getChannel().isOpen();
  }

  @Override
  public void handleConsumeOk(String tag) {
    super.handleConsumeOk(tag);
    ended = false; // also when a connection has recovered
  }

  /** Of the broker's own accord. The channel stays open, so nobody else would notice. */
  @Override
  public void handleCancel(String tag) {
    stopped("the broker has cancelled it, as it does when a queue is deleted or its node is gone");
  }

  @Override
  public void handleCancelOk(String tag) {
    ended = true;
  }

  @Override
  public void handleShutdownSignal(String tag, ShutdownSignalException cause) {
    guard.connectionLost(queue, cause);
    if (!cause.isHardError() && !cause.isInitiatedByApplication()) {
      stopped(String.valueOf(cause.getMessage())); // recovery is for connections only
    }
  }

  private void stopped(String why) {
    ended = true;
    LOG.warn("{} consumes from {} no more, and has to be started again: {}", consumer, queue, why);
    guard.tell(to -> to.stopped(consumer, why));
  }

  /** The broker gives to others what it has no answer for. */
  private void lost() {
    synchronized (lock) {
      giveBack(Stage.UNDECIDED, Stage.READY);
      open.clear();
      lock.notifyAll();
    }
  }

  @Override
  public void handleDelivery(
      String tag, Envelope envelope, BasicProperties properties, byte[] body) {
    if (!getChannel().isOpen()) {
      return; // the client still hands out what the broker has given to another by now
    }
    Arrival arrived = new Arrival(new Delivery(envelope, properties, body));
    synchronized (lock) {
      open.put(arrived.tag(), arrived);
      if (paused || closed) {
        returnToQueue(arrived);
        return;
      }
    }
    look(arrived);
  }

  /** Decides what to do with it, as far as that is known without the store. */
  private void look(Arrival arrived) {
    Instant deliverAt = arrived.deliverAt();
    boolean tracked = arrived.tracked() != null;
    if (deliverAt != null && guard.early(deliverAt, tracked)) {
      holdAgain(arrived, deliverAt, Reason.EARLY);
    } else if (tracked) {
      admit(arrived);
    } else {
      handOut(arrived, null);
    }
  }

  /** Begins it, or has it wait behind those that are begun. */
  private void admit(Arrival arrived) {
    synchronized (lock) {
      if (arrived.stage != Stage.UNDECIDED) {
        return;
      }
      if (!arrived.counted && begun >= lookAhead.allowed()) {
        behind.add(arrived);
        return;
      }
      count(arrived);
    }
    begin(arrived);
  }

  private void count(Arrival arrived) {
    if (!arrived.counted) {
      arrived.counted = true;
      begun++;
    }
  }

  private void uncount(Arrival arrived) {
    if (arrived.counted) {
      arrived.counted = false;
      begun--;
    }
  }

  private void begin(Arrival arrived) {
    Tracked tracked = Objects.requireNonNull(arrived.tracked());
    Handling wanted;
    synchronized (lock) {
      if (arrived.handling == null) { // else the answer was lost, and its token asks again
        arrived.handling = DeliveryGuard.handling(tracked.key(), consumer);
      }
      wanted = arrived.handling;
    }
    guard.begin(wanted, tracked.generation(), (answer, why) -> begun(arrived, answer, why));
  }

  private void begun(Arrival arrived, @Nullable Begun answer, @Nullable RuntimeException problem) {
    Tracked tracked = Objects.requireNonNull(arrived.tracked());
    if (answer == null) {
      RuntimeException why = Objects.requireNonNullElseGet(problem, IllegalStateException::new);
      guard.tell(to -> to.storeUnreachable(consumer, tracked.key(), why));
      if (guard.options().onStoreFailure() == OnStoreFailure.DELIVER) {
        handOut(arrived, null);
      } else {
        unanswered(arrived, why);
      }
      return;
    }
    switch (answer.verdict()) {
      case HANDLE -> {
        if (answer.unexpected()) {
          guard.unexpected(consumer, tracked.key());
        }
        handOut(arrived, arrived.handling);
      }
      case UNKNOWN -> {
        guard.unknown(consumer, tracked.key());
        handOut(arrived, null);
      }
      case BUSY -> {
        leave(arrived, false);
        holdAgain(arrived, Objects.requireNonNull(answer.busyUntil()), Reason.BUSY);
      }
      case LOCKED -> againLater(arrived, () -> begin(arrived));
      case SETTLED, CANCELLED, OUTDATED -> {
        LOG.debug("{} is skipped by {}: {}", tracked.key(), consumer, answer.verdict());
        guard.tell(to -> to.skipped(consumer, tracked.key(), answer.verdict()));
        leave(arrived, false);
        acknowledge(arrived);
      }
    }
  }

  /** While the store does not answer it waits here, and then in its queue. */
  private void unanswered(Arrival arrived, RuntimeException why) {
    if (arrived.age().compareTo(guard.options().storePatience()) < 0) {
      againLater(arrived, () -> begin(arrived));
      return;
    }
    boolean first;
    synchronized (lock) {
      first = !paused && !closed;
      paused |= first;
    }
    if (first) {
      LOG.warn("The store does not answer; messages of {} wait there: {}", queue, why.toString());
      answers.execute(() -> pause(arrived));
    }
  }

  private void againLater(Arrival arrived, Runnable task) {
    Duration pause = arrived.pause;
    arrived.pause = Patience.longer(pause);
    guard.later(
        pause,
        () -> {
          synchronized (lock) {
            if (arrived.stage != Stage.UNDECIDED) {
              return;
            }
          }
          task.run();
        });
  }

  /** Consumes no more, and gives back once what nobody has begun. */
  private void pause(Arrival last) {
    try {
      getChannel().basicCancel(getConsumerTag());
    } catch (IOException | RuntimeException e) {
      LOG.debug("The channel is gone; so is the consumer", e);
    }
    giveBack(Stage.UNDECIDED);
    guard.awaitStore(this, Objects.requireNonNull(last.key()));
  }

  /** What may have been begun is released, for whoever gets it next. */
  private void giveBack(Stage... stages) {
    synchronized (lock) {
      behind.clear();
      for (Arrival one : List.copyOf(open.values())) {
        if (List.of(stages).contains(one.stage)) {
          uncount(one);
          Handling handling = one.handling;
          if (handling != null) { // perhaps begun by a call whose answer was lost
            guard.leases().keepNoLonger(handling);
            guard.end(Ending.release(handling, null), end -> {});
          }
          returnToQueue(one);
        }
      }
    }
  }

  /** The store did not answer once more, for a message that waits here or in the queue. */
  void storeUnreachable(MessageKey key, RuntimeException why) {
    guard.tell(to -> to.storeUnreachable(consumer, key, why));
  }

  /** The store answers again. False if it is to be tried once more. */
  boolean resume() {
    synchronized (lock) {
      if (closed) {
        return true;
      }
      paused = false;
    }
    try {
      getChannel().basicConsume(queue, false, getConsumerTag(), false, false, arguments, this);
      LOG.info("The store answers again; {} consumes from {}", consumer, queue);
      return true;
    } catch (IOException | RuntimeException e) {
      synchronized (lock) {
        paused = true;
      }
      LOG.debug("Not consumed yet: {}", queue, e);
      return closedForGood();
    }
  }

  /** A channel that recovers with its connection is open again some time. */
  private boolean closedForGood() {
    ShutdownSignalException cause = getChannel().getCloseReason();
    return cause != null && (!cause.isHardError() || cause.isInitiatedByApplication());
  }

  private void handOut(Arrival arrived, @Nullable Handling handling) {
    synchronized (lock) {
      if (arrived.stage != Stage.UNDECIDED) {
        if (handling != null) {
          guard.end(Ending.release(handling, null), end -> {});
        }
        return;
      }
      arrived.stage = Stage.READY;
      arrived.handling = handling;
      if (handling != null) {
        guard.leases().keep(handling);
      }
    }
    turn.execute(() -> handle(arrived));
  }

  private void handle(Arrival arrived) {
    Handling handling;
    synchronized (lock) {
      if (arrived.stage != Stage.READY) {
        return; // given back meanwhile
      }
      arrived.stage = Stage.HANDLED;
      handling = arrived.handling;
    }
    Instant deliverAt = arrived.deliverAt();
    Duration lateness =
        deliverAt == null ? null : Duration.between(deliverAt, guard.now(arrived.key() != null));
    guard.tell(to -> to.delivered(consumer, arrived.key(), lateness));
    GuardedDelivery delivery =
        new GuardedDelivery(
            arrived.delivery(),
            handling,
            new KeptLease(guard.leases(), handling),
            guard.options().namePrefix());
    try {
      handler.handle(delivery);
    } catch (Throwable e) { // an error must not end the thread under other messages
      ends(arrived);
      failed(arrived, handling, e);
      return;
    }
    ends(arrived);
    if (handling == null) {
      over(arrived);
    } else if (delivery.isSettled()) {
      settled(arrived, handling, HandlingEnd.APPLIED);
    } else {
      guard.end(Ending.settle(handling), end -> settled(arrived, handling, end));
    }
  }

  private void ends(Arrival arrived) {
    synchronized (lock) {
      arrived.stage = Stage.ENDING;
    }
  }

  private void settled(Arrival arrived, Handling handling, HandlingEnd end) {
    if (end == HandlingEnd.NO_ANSWER) {
      LOG.warn("{} was handled, but could not be settled; it is handled again", handling.key());
      leave(arrived, true);
      returnToQueue(arrived);
      return;
    }
    if (end == HandlingEnd.APPLIED) {
      guard.tell(to -> to.settled(consumer, handling.key()));
    } else {
      LOG.warn("{} was handled by {} too late: it was taken over", handling.key(), consumer);
      guard.tell(to -> to.overtaken(consumer, handling.key()));
    }
    over(arrived);
  }

  private void over(Arrival arrived) {
    leave(arrived, true);
    acknowledge(arrived);
  }

  private void failed(Arrival arrived, @Nullable Handling handling, Throwable cause) {
    LOG.warn("The handler of {} failed for {}", consumer, arrived, cause);
    guard.tell(to -> to.failed(consumer, arrived.key(), cause));
    boolean requeue = guard.options().requeueFailed();
    if (requeue && cameBack(arrived.delivery())) {
      retryLater(arrived, handling, cause);
    } else if (handling == null) {
      leave(arrived, true);
      reject(arrived, requeue);
    } else {
      guard.end(
          Ending.fail(handling, cause.toString()),
          end -> {
            // Else settled by the transaction that seemed to fail, taken over, or not known to have
            // failed: another look will tell.
            leave(arrived, true);
            reject(arrived, requeue || end != HandlingEnd.APPLIED);
          });
    }
  }

  /** Not every queue counts returns; but each says what it has handed out before. */
  private static boolean cameBack(Delivery arrived) {
    return arrived.getEnvelope().isRedeliver() || HeldAgain.is(arrived.getProperties());
  }

  /**
   * Returned once more it might be dropped, and nobody but its row would know of it then; where
   * returns are not counted, it would come back at once and for ever.
   */
  private void retryLater(Arrival arrived, @Nullable Handling handling, Throwable cause) {
    Instant until = guard.now(arrived.key() != null).plus(BEFORE_RETRY);
    if (handling == null) {
      retryHeld(arrived, until);
      return;
    }
    guard.end(
        guard.postponed(handling, until, cause.toString()),
        end -> {
          if (end == HandlingEnd.APPLIED) {
            retryHeld(arrived, until);
          } else {
            leave(arrived, true);
            returnToQueue(arrived); // as when it fails
          }
        });
  }

  private void retryHeld(Arrival arrived, Instant until) {
    leave(arrived, true);
    synchronized (lock) {
      if (arrived.stage == Stage.OVER) {
        return;
      }
      arrived.stage = Stage.UNDECIDED;
      arrived.handling = null; // it has ended
    }
    holdAgain(arrived, until, null);
  }

  /**
   * The received copy is given up only when the broker has the other one. While it takes none, the
   * received one waits here, and then in its queue.
   *
   * @param reason null for another try, of which nobody is told
   */
  private void holdAgain(Arrival arrived, Instant until, @Nullable Reason reason) {
    holds.execute(
        () -> {
          synchronized (lock) {
            if (arrived.stage != Stage.UNDECIDED) {
              return;
            }
          }
          guard.holdAgain(
              queue, arrived.delivery(), until, problem -> held(arrived, until, reason, problem));
        });
  }

  private void held(
      Arrival arrived, Instant until, @Nullable Reason reason, @Nullable Throwable problem) {
    if (problem == null) {
      if (reason != null) {
        guard.tell(to -> to.heldAgain(consumer, arrived.key(), reason, until));
      }
      acknowledge(arrived);
    } else if (problem instanceof InvalidMessageException) {
      // Returned, it would come again at once and for ever.
      LOG.warn("{} is rejected, it cannot be held again: {}", arrived, problem.getMessage());
      reject(arrived, false);
    } else if (arrived.age().compareTo(guard.options().storePatience()) < 0) {
      LOG.debug("{} could not be held again yet: {}", arrived, problem.toString());
      againLater(
          arrived, reason == null ? () -> holdAgain(arrived, until, null) : () -> look(arrived));
    } else {
      LOG.warn(
          "{} could not be held again, it goes back to {}: {}", arrived, queue, problem.toString());
      returnToQueue(arrived);
    }
  }

  /** It is begun no more; the next one may be. */
  private void leave(Arrival arrived, boolean handled) {
    List<Arrival> next = new ArrayList<>();
    synchronized (lock) {
      guard.leases().keepNoLonger(arrived.handling);
      uncount(arrived);
      if (handled) {
        lookAhead.ended();
      }
      while (begun < lookAhead.allowed() && !behind.isEmpty()) {
        Arrival one = behind.remove();
        if (one.stage == Stage.UNDECIDED) {
          count(one);
          next.add(one);
        }
      }
    }
    next.forEach(this::begin);
  }

  private void acknowledge(Arrival arrived) {
    boolean first;
    synchronized (lock) {
      arrived.stage = Stage.OVER;
      first = acknowledged.isEmpty();
      acknowledged.add(arrived);
    }
    if (first) {
      answers.execute(this::acknowledgeAll);
    }
  }

  /** With one frame where the broker waits for no answer in between. */
  private void acknowledgeAll() {
    List<Long> single = new ArrayList<>();
    long upTo = 0;
    synchronized (lock) {
      for (Arrival one : acknowledged) {
        if (open.remove(one.tag(), one)) {
          single.add(one.tag());
        }
      }
      acknowledged.clear();
      long firstOpen = open.isEmpty() ? Long.MAX_VALUE : open.firstKey();
      for (long tag : single) {
        upTo = tag < firstOpen ? Math.max(upTo, tag) : upTo;
      }
    }
    try {
      if (upTo > 0) {
        getChannel().basicAck(upTo, true);
      }
      for (long tag : single) {
        if (tag > upTo) {
          getChannel().basicAck(tag, false);
        }
      }
    } catch (IOException | ShutdownSignalException e) {
      LOG.debug("The channel is gone; {} messages come again", single.size(), e);
    }
    answered();
  }

  private void returnToQueue(Arrival arrived) {
    reject(arrived, true);
  }

  /** In its turn behind the acknowledgements, of which none must include it. */
  private void reject(Arrival arrived, boolean requeue) {
    synchronized (lock) {
      arrived.stage = Stage.OVER;
    }
    answers.execute(
        () -> {
          synchronized (lock) {
            if (!open.remove(arrived.tag(), arrived)) {
              return;
            }
          }
          try {
            getChannel().basicNack(arrived.tag(), false, requeue);
          } catch (IOException | ShutdownSignalException e) {
            LOG.debug("The channel is gone; {} comes again", arrived, e);
          }
          answered();
        });
  }

  private void answered() {
    synchronized (lock) {
      lock.notifyAll();
    }
  }

  /**
   * Consumes no more, and gives back what no handler has. What is being handled is finished and
   * acknowledged; what was handled by now is, when this returns, as far as that takes 10 s at most.
   */
  @Override
  public void close() throws IOException {
    boolean consumes;
    synchronized (lock) {
      if (closed) {
        return;
      }
      consumes = !paused;
      closed = true;
    }
    if (consumes && getChannel().isOpen()) {
      getChannel().basicCancel(getConsumerTag());
    }
    giveBack(Stage.UNDECIDED, Stage.READY);
    guard.closed(this);
    awaitAnswers();
  }

  private void awaitAnswers() {
    long end = System.nanoTime() + LAST_ANSWERS.toNanos();
    synchronized (lock) {
      while (getChannel().isOpen()
          && open.values().stream()
              .anyMatch(one -> one.stage == Stage.ENDING || one.stage == Stage.OVER)) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return;
        }
        try {
          lock.wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }
}
