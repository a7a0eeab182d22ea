// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ci")
class AddressIT {

  @Test
  void a_named_broker_is_used_or_the_reason_given_and_nothing_else_tried() throws Exception {
    LocalBrokerOptions any = LocalBrokerOptions.defaults().withPlugins(List.of());
    AddressRung named;
    try (BrokerNode node =
        LocalBroker.find(
            any.withVersion("4.3")
                .withSources(EnumSet.of(BrokerSource.INSTALLED, BrokerSource.PACKAGES)))) {
      String address = node.amqpUri().toString();
      named =
          new AddressRung(
              new Environment(
                  Map.of("POCKETWATCH_BROKER", address, "POCKETWATCH_BROKER_3_10", address)));
      BrokerNode found = find(named, any);
      assertThat(found.source()).isEqualTo(BrokerSource.ADDRESS);
      assertThat(found.version()).isEqualTo(node.version());
      assertThat(found.running()).isTrue();
      assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(found::log);
      found.close();
      assertThat(node.running()).isTrue();
      assertThatExceptionOfType(BrokerUnavailableException.class)
          .isThrownBy(() -> find(named, any.withVersion("3.10")))
          .withMessageContaining("that is RabbitMQ 4.3.")
          .withMessageContaining("wanted is 3.10");
    }
    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(() -> find(named, any))
        .withMessageContaining("no broker answers there")
        .withMessageNotContaining("guest:guest");
  }

  private static BrokerNode find(AddressRung rung, LocalBrokerOptions options) throws Exception {
    return rung.find(options, line -> {});
  }
}
