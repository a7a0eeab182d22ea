// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoreException.WrongBrokerException;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The database is a copy of another broker's: of production's, say, for a try. */
class CopiedStoreIT {
  private static final BrokerIdentity PRODUCTION = new BrokerIdentity("rabbit@production", "/");

  private World world;
  private StoreWorld stored;
  private DelayRoutes routes;

  @BeforeEach
  void open() throws Exception {
    world = World.of(CopiedStoreIT.class);
    stored = new StoreWorld();
    world.target("copied");
    routes = StoreWorld.routes(world, "copied", Tracking.FULL);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
    stored.close();
  }

  @Test
  void its_messages_are_not_sent_from_here_until_this_broker_has_adopted_them() throws Exception {
    BrokerIdentity here;
    try (TrackedPublisher publisher = publisher()) {
      here = stored.store().broker().orElseThrow();
      assertThat(here.virtualHost()).isEqualTo(world.node().connectionFactory().getVirtualHost());
      assertThat(here.cluster()).isNotBlank().isNotEqualTo("null");
      assertThat(
              Futures.get(publisher.publish(message("m").delay(Duration.ofSeconds(1)))).outcome())
          .isEqualTo(PublishOutcome.CONFIRMED);
    }
    stored.store().adoptBroker(PRODUCTION);

    assertThatThrownBy(this::publisher)
        .isInstanceOf(WrongBrokerException.class)
        .hasMessageContainingAll(PRODUCTION.toString(), here.toString());
    try (TrackedPublisher onDemand = onDemand();
        Loader loader = new Loader(onDemand)) {
      assertThatThrownBy(onDemand::connect).isInstanceOf(WrongBrokerException.class);
      assertThat(onDemand.status().connectionError()).contains(PRODUCTION.toString());
      PublishReceipt refused = Futures.get(onDemand.publish(message("n")));
      assertThat(refused.outcome()).isEqualTo(PublishOutcome.REJECTED);
      assertThat(refused.detail()).contains(PRODUCTION.toString());
      assertThat(loader.runOnce().reason()).contains(PRODUCTION.toString());
    }
    assertThat(world.count("copied")).isZero();
    assertThat(stored.store().list(MessageQuery.all()))
        .extracting(StoredMessage::state)
        .containsExactly(MessageState.PENDING);

    stored.store().adoptBroker(here);
    Inbox inbox = world.inbox("copied");
    try (TrackedPublisher publisher = publisher();
        Loader loader = new Loader(publisher)) {
      loader.start();
      Awaitility.await().until(() -> inbox.ids().equals(List.of("m")));
    }
  }

  private static DelayedMessage message(String id) {
    return DelayedMessage.to("copied", "key").id(id);
  }

  private TrackedPublisher publisher() {
    return DelayedPublisher.builder(world.node().connectionFactory())
        .routes(routes)
        .build(TrackedPublisher.with(stored.store()));
  }

  private TrackedPublisher onDemand() {
    return DelayedPublisher.builder(world.node().connectionFactory())
        .routes(routes)
        .connectOnDemand()
        .build(TrackedPublisher.with(stored.store()));
  }
}
