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
  private static final GuardOptions OPTIONS =
      GuardOptions.defaults().withPrefetch(10).withStorePatience(PATIENCE);

  private final SentAhead sentAhead = new SentAhead(OPTIONS);

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

  private void waits(Delivery delivery) {
    sentAhead.hasWaited(delivery, sentAhead.patience(delivery));
    sentAhead.goesBack(delivery);
  }

  private static Delivery delivery(long tag, String id) {
    BasicProperties properties =
        new BasicProperties.Builder().headers(Map.of(Headers.ID, id)).build();
    return new Delivery(new Envelope(tag, false, "", "q"), properties, new byte[0]);
  }
}
