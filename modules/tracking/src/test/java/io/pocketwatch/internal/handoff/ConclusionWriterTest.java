// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.StoredMessage;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With a store that answers when the test lets it. */
class ConclusionWriterTest {
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");

  /** More than find room. */
  private static final int MANY = 300_000;

  private final CountDownLatch back = new CountDownLatch(1);
  private final AtomicBoolean locked = new AtomicBoolean();
  private final List<Conclusion> written = new ArrayList<>();
  private final ConclusionWriter writer =
      new ConclusionWriter(store(this::conclude), Duration.ofMinutes(5), Scheduler.SYSTEM);

  @AfterEach
  void close() {
    back.countDown();
    writer.close();
  }

  @Test
  void what_is_written_keeps_no_content() throws Exception {
    back.countDown();

    assertThat(writer.write(conclusion()).get(10, TimeUnit.SECONDS)).isTrue();

    StoredMessage message = written.get(0).claim().message();
    assertThat(message.message().body()).isEmpty();
    assertThat(message.message().properties()).isEmpty();
    assertThat(message.key()).isEqualTo(new MessageKey("work", "a"));
    assertThat(written.get(0).claim().fence()).isEqualTo(7);
  }

  @Test
  void what_its_handler_has_locked_is_written_later() throws Exception {
    locked.set(true);
    back.countDown();

    assertThat(writer.write(conclusion()).get(10, TimeUnit.SECONDS)).isTrue();

    assertThat(written).hasSize(2);
  }

  /** Or a loader that waits for it would load nothing more. */
  @Test
  void what_stays_locked_for_longer_than_a_lease_is_left_to_it() throws Exception {
    back.countDown();
    try (ConclusionWriter impatient =
        new ConclusionWriter(
            store(
                ends -> {
                  locked.set(true);
                  return conclude(ends);
                }),
            Duration.ofMillis(600),
            Scheduler.SYSTEM)) {
      assertThat(impatient.write(conclusion()).get(10, TimeUnit.SECONDS)).isFalse();
    }
  }

  /** Whoever writes here brings the broker's answers to everybody. */
  @Test
  @Timeout(60)
  void with_the_store_away_nobody_waits_for_room() throws Exception {
    Conclusion one = conclusion();
    CompletableFuture<Boolean> last = writer.write(one);
    int accepted = 0;
    while (accepted < MANY && !last.isDone()) {
      last = writer.write(one);
      accepted++;
    }

    assertThat(last.isDone()).as("dropped").isTrue();
    assertThat(last.get()).as("its lease brings it again").isFalse();
    assertThat(accepted).isGreaterThan(1_000);
  }

  private static Conclusion conclusion() {
    ScheduledMessage row =
        new ScheduledMessage(
            new MessageKey("work", "a"),
            null,
            "work",
            "key",
            new byte[] {1},
            new byte[1_000],
            NOW,
            Tracking.FULL);
    return Conclusion.sent(new Claim(StoredMessage.inserted(row, NOW), "loader", 7, false), NOW);
  }

  private interface Conclude {
    List<Ended> on(List<?> ends) throws InterruptedException;
  }

  private static LoadingStore store(Conclude conclude) {
    return (LoadingStore)
        Proxy.newProxyInstance(
            LoadingStore.class.getClassLoader(),
            new Class<?>[] {LoadingStore.class},
            (self, method, arguments) -> conclude.on((List<?>) arguments[0]));
  }

  private List<Ended> conclude(List<?> ends) throws InterruptedException {
    back.await();
    synchronized (written) {
      ends.forEach(each -> written.add((Conclusion) each));
    }
    Ended answer = locked.getAndSet(false) ? Ended.LOCKED : Ended.APPLIED;
    return ends.stream().map(each -> answer).toList();
  }
}
