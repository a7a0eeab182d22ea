// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.Headers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SentAheadTest {
  private static final Duration PATIENCE = Duration.ofMinutes(7);
  private static final BasicProperties NAMELESS = new BasicProperties();
  private static final GuardOptions OPTIONS =
      GuardOptions.defaults().withPrefetch(10).withStorePatience(PATIENCE);

  private final LastReturns returns = new LastReturns();
  private final SentAhead sentAhead = new SentAhead("q", OPTIONS, returns);

  @Test
  void whatWasSentAheadOfAWaitHasWaitedWithIt() {
    waits(delivery(5, "a"));

    assertThat(sentAhead.patience(delivery(6, "b"))).isZero();
    assertThat(sentAhead.patience(delivery(14, "j"))).isZero();
    assertThat(sentAhead.patience(delivery(15, "k"))).isEqualTo(PATIENCE);
  }

  @Test
  void whatHasGoneBackWaitsAgainWhenItComes() {
    waits(delivery(5, "a"));
    assertThat(sentAhead.patience(delivery(7, "a"))).isEqualTo(PATIENCE);

    waits(delivery(7, "a"));
    assertThat(sentAhead.patience(delivery(8, "b"))).as("beside it").isZero();
    assertThat(sentAhead.patience(delivery(9, "a"))).isEqualTo(PATIENCE);
  }

  @Test
  void whatHasNotWaitedItselfChangesNothing() {
    waits(delivery(5, "a"));
    sentAhead.hasWaited(delivery(6, "b"), Duration.ZERO);

    assertThat(sentAhead.patience(delivery(15, "k"))).isEqualTo(PATIENCE);
  }

  @Test
  void whatAnotherConsumerOfTheQueueHasGivenBackSinceWaitsWhenItComes() {
    SentAhead other = new SentAhead("q", OPTIONS, returns);
    SentAhead another = new SentAhead("other", OPTIONS, returns);
    waits(other, delivery(3, "a"));
    waits(another, delivery(3, "a"));
    waits(delivery(5, "b"));
    assertThat(other.patience(delivery(4, "b"))).isEqualTo(PATIENCE);
    assertThat(another.patience(delivery(4, "b"))).as("another queue's copy").isZero();
    assertThat(sentAhead.patience(delivery(6, "a"))).as("it was there before").isZero();
  }

  @Test
  void whatHasNoIdWasSentAhead() {
    Delivery nameless = new Delivery(new Envelope(5, false, "", "q"), NAMELESS, new byte[0]);
    waits(nameless);
    assertThat(
            sentAhead.patience(new Delivery(new Envelope(6, true, "", "q"), NAMELESS, new byte[0])))
        .isZero();
  }

  private void waits(Delivery delivery) {
    waits(sentAhead, delivery);
  }

  private static void waits(SentAhead sentAhead, Delivery delivery) {
    sentAhead.hasWaited(delivery, sentAhead.patience(delivery));
    sentAhead.goesBack(delivery);
  }

  private static Delivery delivery(long tag, String id) {
    BasicProperties properties =
        new BasicProperties.Builder().headers(Map.of(Headers.ID, id)).build();
    return new Delivery(new Envelope(tag, false, "", "q"), properties, new byte[0]);
  }
}
