// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class AddressIT {

  @Test
  void aNamedBrokerIsUsedOrTheReasonGivenAndNothingElseTried() {
    LocalBrokerOptions any = LocalBrokerOptions.defaults().withPlugins(List.of());
    LocalBrokerOptions named;
    try (BrokerNode node =
        LocalBroker.find(
            any.withVersion("4.3")
                .withSources(EnumSet.of(BrokerSource.INSTALLED, BrokerSource.PACKAGES)))) {
      named = any.withAddress(node.amqpUri());
      BrokerNode found = LocalBroker.find(named);
      assertThat(found.source()).isEqualTo(BrokerSource.ADDRESS);
      assertThat(found.version()).isEqualTo(node.version());
      assertThat(found.running()).isTrue();
      assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(found::log);
      found.close();
      assertThat(node.running()).isTrue();
      assertThatExceptionOfType(BrokerUnavailableException.class)
          .isThrownBy(() -> LocalBroker.find(named.withVersion("3.10")))
          .withMessageContaining("that is RabbitMQ 4.3.")
          .withMessageContaining("wanted is 3.10");
    }
    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(() -> LocalBroker.find(named))
        .withMessageContaining("no broker answers there")
        .withMessageNotContaining("guest:guest");
  }
}
