// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static io.pocketwatch.it.guard.GuardWorld.tracked;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Messages that are cancelled or rescheduled while a copy is on the broker. */
interface ChangeTests extends GuardSetup {
  Duration SHORTLY = Duration.ofMillis(300);

  @Test
  default void the_copy_of_a_cancelled_message_is_skipped() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("cancel");
    world.publisher(tracked("", queue));
    MessageKey key = world.arrived(queue, DelayedMessage.toQueue(queue).delay(SHORTLY));

    assertThat(world.store().cancel(key)).isEqualTo(ChangeOutcome.DONE);

    Worker worker = world.worker(queue, delivery -> {});
    worker.events().await("skipped CANCELLED");
    assertThat(worker.handled()).isEmpty();
    assertThat(world.find(key).state()).isEqualTo(MessageState.CANCELLED);
  }

  @Test
  default void rescheduled_later_it_is_handled_once_at_its_new_instant() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("later");
    world.publisher(tracked("", queue));
    MessageKey key = world.arrived(queue, DelayedMessage.toQueue(queue).delay(SHORTLY));

    Instant later = world.store().now().plusSeconds(4);
    assertThat(world.store().reschedule(key, later)).isEqualTo(ChangeOutcome.DONE);

    Worker worker = world.worker(queue, delivery -> {});
    worker.events().await("skipped OUTDATED");
    assertThat(worker.handled()).isEmpty();
    world.awaitState(key, MessageState.SETTLED);
    assertThat(worker.handled()).hasSize(1);
    assertThat(worker.handled().get(0).delayed().deliverAt()).isEqualTo(later);
    assertThat(worker.handled().get(0).at()).isAfterOrEqualTo(later);
  }

  @Test
  default void rescheduled_earlier_it_is_handled_once_at_its_new_instant() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("earlier");
    world.publisher(tracked("", queue));
    Worker worker = world.worker(queue, delivery -> {});
    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMinutes(1))));
    Instant old = world.find(key).deliverAt();

    Instant earlier = world.store().now().plusMillis(500);
    assertThat(world.store().reschedule(key, earlier)).isEqualTo(ChangeOutcome.DONE);

    world.awaitState(key, MessageState.SETTLED);
    assertThat(worker.handled().get(0).at()).isBetween(earlier, old);
    assertThat(worker.handled()).hasSize(1);
  }

  @Test
  default void what_is_being_handled_cannot_be_cancelled() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("running");
    world.publisher(tracked("", queue));
    CountDownLatch release = new CountDownLatch(1);
    Worker worker =
        world.worker(queue, delivery -> assertThat(release.await(20, TimeUnit.SECONDS)).isTrue());
    MessageKey key =
        GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(300))));

    worker.await(1);
    assertThat(world.store().cancel(key)).isEqualTo(ChangeOutcome.BEING_HANDLED);
    assertThat(world.store().reschedule(key, world.store().now().plusSeconds(9)))
        .isEqualTo(ChangeOutcome.BEING_HANDLED);
    release.countDown();

    world.awaitState(key, MessageState.SETTLED);
    assertThat(world.store().cancel(key)).isEqualTo(ChangeOutcome.TOO_LATE);
    assertThat(worker.handled()).hasSize(1);
  }
}
