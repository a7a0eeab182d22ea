// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.lab.faults.account.Journal;
import io.pocketwatch.lab.faults.account.Journal.Step;
import io.pocketwatch.lab.faults.account.Lane;
import io.pocketwatch.lab.faults.account.Messages;
import io.pocketwatch.lab.faults.account.Messages.Message;
import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the messages of a round, each at its time. A message that was not confirmed is sent
 * again under the same id and for the same instant. An application that must get it through would
 * do the same.
 */
final class Sending implements AutoCloseable {
  private static final int MOST_AT_A_TIME = 10;
  private static final long PAUSE_MILLIS = 500;
  private static final Duration TRICKLE_DELAY = Duration.ofMillis(1_500);

  private final TrackedPublisher publisher;
  private final Path file;
  private final Journal journal;
  private final Changing changing;
  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(4);

  /** How the ids of what is being sent begin. Few: who is older has been answered. */
  private final Deque<String> current = new ConcurrentLinkedDeque<>();

  Sending(TrackedPublisher publisher, Path file) throws IOException {
    this.publisher = publisher;
    this.file = file;
    this.journal = Journal.appendTo(file);
    this.changing = new Changing(publisher.store(), journal);
  }

  /** What was begun is not sent again, nor what of it is still to come. */
  void leaveAll() {
    current.clear();
  }

  /**
   * Sends these too.
   *
   * @param again whether some may have been sent by the process before this one
   */
  void begin(Messages messages, boolean again) throws IOException {
    current.addLast(messages.prefix());
    while (current.size() > MOST_AT_A_TIME) {
      current.removeFirst();
    }
    Set<String> tried = again ? noted(Step.TRIED) : Set.of();
    Set<String> confirmed = again ? noted(Step.CONFIRMED, Step.STORED) : Set.of();
    for (Message message : messages.all()) {
      if (confirmed.contains(message.id())) {
        changing.halfway(message); // once more, if it was done before
        continue;
      }
      long wait = Duration.between(Instant.now(), message.at()).toMillis();
      // One that was tried keeps the instant it was tried for.
      boolean before = tried.contains(message.id());
      boolean byDelay = message.lane().way() == Lane.Way.TTL && !before;
      later(message, byDelay ? null : message.due(), Math.max(0, wait), before);
    }
  }

  /**
   * Sends a message a second on every lane besides, of which nobody keeps account: an application
   * goes on. A store tells what has been overtaken from what comes later, and a publisher looks
   * after its targets only while it uses them.
   */
  void trickle() {
    threads.scheduleWithFixedDelay(
        () -> {
          for (Lane lane : Lane.ALL) {
            CompletableFuture<?> unused =
                publisher.publish(
                    DelayedMessage.to(Lane.EXCHANGE, lane.name()).delay(TRICKLE_DELAY));
          }
        },
        0,
        1,
        TimeUnit.SECONDS);
  }

  private Set<String> noted(Step... steps) throws IOException {
    Set<String> words = Arrays.stream(steps).map(Step::name).collect(Collectors.toSet());
    Set<String> ids = new HashSet<>();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        String[] parts = line.split(" ", 3);
        if (parts.length == 3 && words.contains(parts[0])) {
          ids.add(parts[2]);
        }
      }
    }
    return ids;
  }

  /**
   * @param due null for by its delay
   * @param unsure whether an attempt before got no answer
   */
  private void later(Message message, @Nullable Instant due, long millis, boolean unsure) {
    if (!threads.isShutdown() && current.stream().anyMatch(message.id()::startsWith)) {
      threads.schedule(() -> send(message, due, unsure), millis, TimeUnit.MILLISECONDS);
    }
  }

  private void send(Message message, @Nullable Instant due, boolean unsure) {
    DelayedMessage sent =
        DelayedMessage.to(Lane.EXCHANGE, message.lane().name()).id(message.id()).body(message.id());
    Instant earliest = due == null ? Instant.now().plus(message.delay()) : due;
    journal.note(Step.TRIED, earliest.toEpochMilli(), message.id());
    CompletableFuture<?> unused =
        publisher
            .publish(due == null ? sent.delay(message.delay()) : sent.deliverAt(due))
            .whenComplete((receipt, failure) -> answered(message, receipt, failure, unsure));
  }

  private void answered(
      Message message,
      @Nullable PublishReceipt receipt,
      @Nullable Throwable failure,
      boolean unsure) {
    if (receipt == null) {
      refused(
          message, failure instanceof CompletionException ? failure.getCause() : failure, unsure);
      return;
    }
    Step step =
        switch (receipt.outcome()) {
          case CONFIRMED ->
              receipt.strategy() == DelayStrategy.STORE ? Step.STORED : Step.CONFIRMED;
          case REJECTED -> Step.REJECTED;
          case UNCERTAIN -> Step.UNCERTAIN;
          case RETURNED -> Step.RETURNED;
        };
    journal.note(step, receipt.deliverAt().toEpochMilli(), message.id());
    if (receipt.confirmed()) {
      changing.halfway(message);
    } else {
      later(message, receipt.deliverAt(), PAUSE_MILLIS, unsure || step == Step.UNCERTAIN);
    }
  }

  private void refused(Message message, @Nullable Throwable failure, boolean unsure) {
    if (failure instanceof IdConflictException) {
      // A process before this one stored it, for an instant that nobody knows any more.
      journal.note(Step.STORED, 0, message.id());
    } else if (Refusals.passing(failure)) {
      journal.note(Step.REJECTED, 0, message.id());
      later(message, message.due(), PAUSE_MILLIS, unsure);
    } else if (unsure && Refusals.heldPerhaps(message.lane(), failure)) {
      journal.note(Step.GIVEN_UP, 0, message.id());
    } else {
      System.err.println(
          message.id()
              + " was refused: "
              + (failure == null ? "no reason given" : ErrorWords.of(failure)));
      journal.note(Step.REFUSED, 0, message.id());
    }
  }

  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    changing.close();
    journal.close();
  }
}
