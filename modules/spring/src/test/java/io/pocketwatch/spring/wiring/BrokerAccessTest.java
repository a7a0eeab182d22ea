// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Address;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** Where Spring's connection factory connects, there we do. */
class BrokerAccessTest {
  private final CachingConnectionFactory connections = new CachingConnectionFactory("host", 7);
  private final BrokerAccess access = BrokerAccess.of(connections);

  @Test
  void by_host_and_port() throws IOException {
    assertThat(access.addresses().getAddresses()).isEmpty();
    assertThat(access.factory().getHost()).isEqualTo("host");
    assertThat(access.factory().getPort()).isEqualTo(7);
  }

  @Test
  void by_addresses_which_go_before_host_and_port() throws IOException {
    connections.setAddresses("one:5999,two:6000");
    assertThat(access.addresses().getAddresses())
        .containsExactly(new Address("one", 5999), new Address("two", 6000));
  }

  @Test
  void by_a_resolver_which_is_asked_each_time() throws IOException {
    List<List<Address>> known =
        new ArrayList<>(List.of(List.of(new Address("one", 1)), List.of(new Address("two", 2))));
    connections.setAddressResolver(() -> known.remove(0));
    assertThat(access.addresses().getAddresses()).containsExactly(new Address("one", 1));
    assertThat(access.addresses().getAddresses()).containsExactly(new Address("two", 2));
  }
}
