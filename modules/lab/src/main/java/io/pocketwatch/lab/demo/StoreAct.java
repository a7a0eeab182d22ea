// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The demo's second act, beside the first. Tasks wait in a database and are sent when they are due.
 * One of them is cancelled and one is moved shortly before, when a loader has claimed it.
 */
final class StoreAct implements AutoCloseable {
  static final Duration FIRST_DUE = Duration.ofSeconds(10);
  static final Duration LAST_DUE = Duration.ofSeconds(25);

  /** How far the moved one is moved. */
  static final Duration MOVE = Duration.ofSeconds(5);

  private static final int TASKS = 200;
  private static final int CANCELLED = TASKS / 3;
  private static final int MOVED = TASKS / 2;

  /** A task is claimed two seconds before it is due, and a look comes each second. */
  private static final Duration CLAIMED = Duration.ofMillis(800);

  private static final Duration QUIET = Duration.ofMillis(500);
  private static final long LOOK_MILLIS = 100;

  private final DelayStore store;
  private final TrackedPublisher publisher;
  private final Loader loader;
  private final DeliveryGuard guard;
  private final Screen screen;
  private final String run;
  private final TaskBook book = new TaskBook();

  private StoreAct(
      DelayStore store, ConnectionFactory broker, DelayRoutes routes, String run, Screen screen) {
    this.store = store;
    this.run = run;
    this.screen = screen;
    this.publisher =
        DelayedPublisher.builder(broker).routes(routes).build(TrackedPublisher.with(store));
    this.loader = new Loader(publisher);
    // Not a millisecond early: that is what this act claims.
    this.guard =
        DeliveryGuard.of(
            publisher,
            GuardOptions.builder().earlyTolerance(Duration.ZERO).prefetch(TASKS).build());
  }

  /** Stores the tasks and begins to load and consume. */
  static StoreAct begin(
      DelayStore store,
      ConnectionFactory broker,
      DelayRoutes routes,
      Channel consuming,
      String run,
      Screen screen)
      throws IOException, InterruptedException {
    StoreAct act = new StoreAct(store, broker, routes, run, screen);
    try {
      act.guard.consume(consuming, DemoNames.TASKS, act::handle);
      act.schedule();
      act.loader.start();
      Thread changes = new Thread(act::change, "pocketwatch-demo-changes");
      changes.setDaemon(true);
      changes.start();
      return act;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      act.close();
      throw e;
    }
  }

  private void handle(GuardedDelivery delivery) {
    Instant at = publisher.unwrap(HandOff.class).now();
    delivery.delayed().ifPresent(delayed -> book.handled(delayed.id(), delayed.deliverAt(), at));
  }

  private void schedule() throws InterruptedException {
    Instant start = publisher.unwrap(HandOff.class).now().truncatedTo(ChronoUnit.MILLIS);
    Duration step = LAST_DUE.minus(FIRST_DUE).dividedBy(TASKS - 1);
    CompletableFuture<?>[] answers = new CompletableFuture<?>[TASKS];
    for (int i = 0; i < TASKS; i++) {
      Instant due = start.plus(FIRST_DUE).plus(step.multipliedBy(i)).truncatedTo(ChronoUnit.MILLIS);
      book.scheduled(id(i), due);
      answers[i] =
          publisher
              .publish(
                  DelayedMessage.to(DemoNames.EXCHANGE, DemoNames.TASK_KEY)
                      .id(id(i))
                      .body("{\"task\":" + i + "}")
                      .deliverAt(due))
              .thenAccept(StoreAct::requireStored);
    }
    try {
      CompletableFuture.allOf(answers).get();
    } catch (ExecutionException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED, "a task could not be stored: " + words(e.getCause()), e);
    }
  }

  private static String words(@Nullable Throwable cause) {
    return cause == null ? "for an unknown reason" : ErrorWords.of(cause);
  }

  private static void requireStored(PublishReceipt receipt) {
    if (!receipt.confirmed()) {
      throw new IllegalStateException(receipt.outcome() + ", " + receipt.detail());
    }
  }

  /** Changes two tasks once a loader has claimed them: the harder case. */
  private void change() {
    try {
      if (onceClaimed(CANCELLED, key -> store.cancel(key))) {
        book.cancelled(id(CANCELLED));
      }
      Instant later = due(MOVED).plus(MOVE);
      if (onceClaimed(MOVED, key -> store.reschedule(key, later))) {
        book.moved(id(MOVED), later);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      screen.detail("A task could not be changed: " + ErrorWords.of(e));
    }
  }

  private boolean onceClaimed(int number, Function<MessageKey, ChangeOutcome> change)
      throws InterruptedException {
    Instant claimed = due(number).minus(CLAIMED);
    while (publisher.unwrap(HandOff.class).now().isBefore(claimed)) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    return change.apply(key(number)) == ChangeOutcome.DONE;
  }

  private Instant due(int number) {
    return store.find(key(number)).orElseThrow().deliverAt();
  }

  private String id(int number) {
    return run + "-task-" + number;
  }

  private MessageKey key(int number) {
    return new MessageKey(DemoNames.TASK_ROUTE, id(number));
  }

  String describe() {
    return "%s tasks, due in %s to %s s, go through the store"
        .formatted(Numbers.count(TASKS), FIRST_DUE.toSeconds(), LAST_DUE.toSeconds());
  }

  /** Waits until every task has its end, or was waited for long enough. */
  StoreCounts end(Duration patience) throws InterruptedException {
    while (!over(publisher.unwrap(HandOff.class).now(), patience)) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    return book.counts();
  }

  private boolean over(Instant now, Duration patience) {
    return now.isAfter(book.lastDue().plus(book.open() == 0 ? QUIET : patience));
  }

  @Override
  public void close() {
    loader.close();
    guard.close();
    publisher.close();
  }
}
