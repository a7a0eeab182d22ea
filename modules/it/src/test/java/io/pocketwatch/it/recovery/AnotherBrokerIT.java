// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static io.pocketwatch.it.recovery.RecoveryWorld.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Connection;
import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.it.SharedNodes;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.store.StoreException.WrongBrokerException;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The move to another cluster that upgrade.md describes, by the store: two nodes, no shovel. */
@Tag("wide")
class AnotherBrokerIT {
  private static final int MESSAGES = 200;
  private static final LoaderOptions OPTIONS =
      LoaderOptions.builder().sweep(Duration.ofMillis(500)).build();

  @Test
  void what_is_not_due_goes_to_the_new_one_once_that_has_adopted_it_and_comes_on_time()
      throws Exception {
    try (BrokerNode old = SharedNodes.own(SharedNodes.NEWEST);
        BrokerNode next = SharedNodes.own(SharedNodes.NEWEST)) {
      AtomicReference<BrokerNode> node = new AtomicReference<>(old);
      try (RecoveryWorld world = new RecoveryWorld(() -> node.get().connectionFactory(), OPTIONS)) {
        Loader before = world.loader();
        Instant base = world.store().now().plusSeconds(20);
        world.publish(MESSAGES, i -> message("m-" + i).deliverAt(base.plusMillis(i * 10L)));
        before.close();
        world.publisher().close();

        assertThat(world.count(MessageState.PENDING)).isEqualTo(MESSAGES);

        node.set(next);
        assertThatThrownBy(
                () ->
                    DelayedPublisher.builder(next.connectionFactory())
                        .routes(RecoveryWorld.routes(OPTIONS))
                        .build(TrackedPublisher.with(world.store())))
            .isInstanceOf(WrongBrokerException.class);
        try (Connection connection = next.connectionFactory().newConnection("adopt")) {
          world.store().adoptBroker(BrokerIdentity.of(connection, "/"));
        }
        world.declareTarget();
        Effects effects = world.effects();
        try (TrackedPublisher publisher =
                DelayedPublisher.builder(next.connectionFactory())
                    .routes(RecoveryWorld.routes(OPTIONS))
                    .build(TrackedPublisher.with(world.store()));
            Loader after = new Loader(publisher);
            Workers workers =
                new Workers(
                    next.connectionFactory(),
                    world.store(),
                    publisher.unwrap(HandOff.class),
                    2,
                    effects)) {
          after.start();
          await().atMost(Duration.ofSeconds(90)).until(() -> effects.count() == MESSAGES);
          assertThat(effects.all().values()).noneMatch(effect -> effect.latenessMillis() < 0);
          assertThat(effects.second()).isZero();
          assertThat(workers.arrivals()).isEqualTo(MESSAGES);
          await().until(() -> world.count(MessageState.SETTLED) == MESSAGES);
        }
      }
    }
  }
}
