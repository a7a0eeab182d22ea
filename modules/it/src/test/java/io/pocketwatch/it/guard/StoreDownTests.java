// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static io.pocketwatch.it.guard.GuardWorld.tracked;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.GuardOptions.OnStoreFailure;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Messages that fall due while the store does not answer. */
interface StoreDownTests extends GuardSetup {
  GuardOptions IMPATIENT =
      GuardWorld.OPTIONS.toBuilder().storePatience(Duration.ofSeconds(1)).prefetch(3).build();

  @Test
  default void they_wait_unhandled_and_are_handled_once_when_it_is_back() throws Exception {
    waitThrough(world(), Map.of(), GuardWorld.OPTIONS, 0);
  }

  /** They go back to their queue in between, all that were sent ahead. */
  @Test
  default void they_wait_also_beyond_the_patience() throws Exception {
    waitThrough(world(), Map.of(), IMPATIENT, 5);
  }

  Duration SOON = Duration.ofMillis(300);

  /**
   * @param waiting how many are in their queue by the time the store is back
   */
  static void waitThrough(
      GuardWorld world, Map<String, Object> arguments, GuardOptions options, int waiting)
      throws Exception {
    String queue = world.queue("down", arguments);
    world.publisher(tracked("", queue));
    List<MessageKey> keys = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      keys.add(world.arrived(queue, DelayedMessage.toQueue(queue).delay(SOON)));
    }

    world.storeDown(true);
    Worker worker = world.worker(queue, options, delivery -> {});
    worker.events().await("store unreachable", 3);
    world.awaitWaiting(queue, waiting);
    assertThat(worker.handled()).isEmpty();
    world.storeDown(false);

    for (MessageKey key : keys) {
      world.awaitState(key, MessageState.SETTLED);
    }
    assertThat(worker.handled()).hasSize(5);
    assertThat(worker.handled()).extracting(Worker.Handled::id).doesNotHaveDuplicates();
  }

  @Test
  default void what_was_handled_is_settled_when_it_is_back() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("settle");
    world.publisher(tracked("", queue));
    Worker worker =
        world.worker(
            queue,
            GuardWorld.OPTIONS.toBuilder().handlingLease(Duration.ofSeconds(30)).build(),
            delivery -> world.storeDown(true));
    MessageKey key = GuardWorld.key(world.publish(DelayedMessage.toQueue(queue).delay(SOON)));

    worker.events().await("store unreachable", 3);
    world.storeDown(false);

    world.awaitState(key, MessageState.SETTLED);
    assertThat(worker.handled()).hasSize(1);
  }

  @Test
  default void they_are_delivered_unchecked_where_the_options_say_so() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("unchecked");
    world.publisher(tracked("", queue));
    world.arrived(queue, DelayedMessage.toQueue(queue).delay(SOON));

    world.storeDown(true);
    Worker worker =
        world.worker(
            queue,
            GuardWorld.OPTIONS.toBuilder().onStoreFailure(OnStoreFailure.DELIVER).build(),
            delivery -> {});

    assertThat(worker.await(1).get(0).delivery().handling()).isEmpty();
  }
}
