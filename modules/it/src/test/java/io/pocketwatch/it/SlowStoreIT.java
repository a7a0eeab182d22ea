// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static io.pocketwatch.PublishOutcome.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.PublisherOptions;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A database that is away, slow or says nothing, and who waits for it. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class SlowStoreIT {
  private static final Duration SOON = Duration.ofMillis(1_500);
  private static final Duration FAR = Duration.ofHours(3);

  private World world;
  private StoreWorld database;
  private String target;

  @BeforeEach
  void open() throws Exception {
    world = World.of(SlowStoreIT.class);
    database = new StoreWorld();
    target = world.target("slow-" + UUID.randomUUID());
  }

  @AfterEach
  void close() throws Exception {
    world.close();
    database.close();
  }

  @Test
  void cancels_that_wait_for_the_database_hold_up_nothing_else() throws Exception {
    DelayedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    PublishReceipt far = publish(publisher, message().delay(FAR));
    List<CompletableFuture<ChangeOutcome>> cancels;
    try (Connection other = database.transaction()) {
      other.createStatement().execute("SELECT * FROM pocketwatch_message FOR UPDATE");

      cancels = Stream.generate(() -> publisher.cancel(far)).limit(8).toList();
      String elsewhere = world.target("new");
      PublishReceipt untracked =
          publish(publisher, DelayedMessage.to(elsewhere, "key").delay(SOON));

      assertThat(untracked.outcome()).isEqualTo(CONFIRMED);
      assertThat(cancels).noneMatch(CompletableFuture::isDone);
      other.rollback();
    }

    assertThat(cancels).extracting(Futures::get).contains(ChangeOutcome.DONE);
  }

  @Test
  void a_database_that_is_away_is_said_and_does_not_stop_what_needs_none() throws Exception {
    DelayedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    String untracked = world.target("stored.untracked");
    Inbox inbox = world.inbox(untracked);
    database.down(true);

    PublishReceipt tracked = publish(publisher, message().id("again").delay(SOON));
    PublishReceipt plain = publish(publisher, DelayedMessage.to(untracked, "key").delay(SOON));
    ChangeOutcome cancelled = Futures.get(publisher.cancel(tracked));
    database.down(false);
    PublishReceipt again = publish(publisher, message().id("again").delay(SOON));

    assertThat(tracked.outcome()).isEqualTo(REJECTED);
    assertThat(tracked.detail()).contains("nothing was stored", "the database is away");
    assertThat(plain.outcome()).isEqualTo(CONFIRMED);
    assertThat(cancelled).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(again.outcome()).isEqualTo(CONFIRMED);
    assertThat(inbox.awaitOne().id()).isEqualTo(plain.id());
  }

  @Test
  void a_database_that_says_nothing_is_waited_for_no_longer_than_the_broker() throws Exception {
    PublisherOptions impatient =
        PublisherOptions.builder().confirmTimeout(Duration.ofSeconds(1)).build();
    DelayedPublisher publisher = publisher(impatient);
    database.silent(true);
    try {
      PublishReceipt receipt = publish(publisher, message().delay(SOON));

      assertThat(receipt.outcome()).isEqualTo(UNCERTAIN);
      assertThat(receipt.detail()).contains("no answer from the store");
    } finally {
      database.silent(false);
    }
  }

  /** It is the thread that ends all futures: what it waited for would keep everybody's place. */
  @Test
  void a_continuation_that_stores_does_not_wait_for_a_database_that_says_nothing()
      throws Exception {
    PublisherOptions patient =
        PublisherOptions.builder().confirmTimeout(Duration.ofSeconds(30)).maxInFlight(2).build();
    DelayedPublisher publisher = publisher(patient);
    DelayedMessage plain = DelayedMessage.to(world.target("stored.plain"), "key");
    assertThat(publish(publisher, plain).outcome()).isEqualTo(CONFIRMED);
    database.silent(true);
    try {
      Thread here = Thread.currentThread();
      List<CompletableFuture<PublishReceipt>> stored;
      do { // confirmed before it is asked for its receipt, it would be us who publish
        stored =
            Futures.get(
                publisher
                    .publish(plain)
                    .thenApply(
                        receipt ->
                            Thread.currentThread() == here
                                ? List.of()
                                : Stream.generate(() -> publisher.publish(message().delay(FAR)))
                                    .limit(10)
                                    .toList()));
      } while (stored.isEmpty());

      // Two writers hold three at most, and two can wait.
      assertThat(stored)
          .filteredOn(CompletableFuture::isDone)
          .hasSizeGreaterThanOrEqualTo(2)
          .allSatisfy(each -> assertThat(each.join().outcome()).isEqualTo(REJECTED));
      assertThat(publish(publisher, plain).outcome()).isEqualTo(CONFIRMED);
    } finally {
      database.silent(false);
    }
  }

  @Test
  void slow_continuations_slow_storing_down_instead_of_filling_memory() throws Exception {
    PublisherOptions few =
        PublisherOptions.builder().confirmTimeout(Duration.ofSeconds(3)).maxInFlight(2).build();
    DelayedPublisher publisher = publisher(few);
    DelayedMessage plain = DelayedMessage.to(world.target("stored.slow"), "key");
    assertThat(publish(publisher, plain).outcome()).isEqualTo(CONFIRMED);
    CountDownLatch slow = new CountDownLatch(1);
    Futures.hold(() -> publisher.publish(plain), slow);

    List<CompletableFuture<PublishReceipt>> stored = new ArrayList<>();
    do {
      stored.add(publisher.publish(message().delay(FAR)));
    } while (stored.size() < 5_000 && !stored.get(stored.size() - 1).isDone());
    PublishReceipt last = Futures.get(stored.remove(stored.size() - 1));
    slow.countDown();

    assertThat(last.outcome()).as("%s", last).isEqualTo(REJECTED);
    assertThat(stored).hasSizeLessThan(3_000);
    assertThat(Futures.outcomes(Futures.getAll(stored))).containsOnly(CONFIRMED);
  }

  /** With a store. */
  private DelayedPublisher publisher(PublisherOptions options) {
    return world.publisher(
        StoreWorld.routes(world, target, Tracking.FULL).toBuilder().publisher(options).build(),
        database.store());
  }

  private DelayedMessage message() {
    return DelayedMessage.to(target, "key").body("{}").header("tenant", Map.of("id", 7L));
  }

  private static PublishReceipt publish(DelayedPublisher publisher, DelayedMessage message) {
    return Futures.get(publisher.publish(message));
  }
}
