// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BrokerExtensionIT {

  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  @RegisterExtension static final BrokerExtension sameWish = BrokerExtension.version("4.3");

  @Test
  void whoever_wishes_the_same_shares_a_node_and_nothing_in_it() throws Exception {
    assertThat(sameWish.node().amqpUri()).isEqualTo(broker.node().amqpUri());
    assertThat(sameWish.virtualHost()).isNotEqualTo(broker.virtualHost());
    try (Connection connection = broker.connectionFactory().newConnection("mine");
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("mine", false, true, true, null);
      assertThat(broker.node().ctl("-q", "list_queues", "-p", broker.virtualHost(), "name"))
          .contains("mine");
      assertThat(broker.node().ctl("-q", "list_queues", "-p", sameWish.virtualHost(), "name"))
          .doesNotContain("mine");
    }
  }

  @Test
  void the_address_leads_into_the_virtual_host() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(broker.amqpUri());
    assertThat(factory.getVirtualHost()).isEqualTo(broker.virtualHost());
    try (Connection connection = factory.newConnection("by-address")) {
      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  void a_shared_node_cannot_be_taken_away() {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(broker.node()::kill)
        .withMessageContaining("dedicated()");
  }

  @Tag("ci")
  @Test
  void a_connection_left_open_is_named() throws Exception {
    Connection connection = broker.connectionFactory().newConnection("forgotten");
    try {
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(() -> ConnectionLeaks.check(broker.node(), broker.virtualHost()))
          .withMessageContaining("1 connection(s) left open")
          .withMessageContaining("forgotten");
    } finally {
      connection.close();
    }
    assertThatCode(() -> ConnectionLeaks.check(broker.node(), broker.virtualHost()))
        .doesNotThrowAnyException();
  }

  /** What the class has is there for its nested classes, and after them. */
  @Nested
  class InsideAnotherClass {

    @Test
    void the_virtual_host_is_the_same() {
      assertThat(broker.virtualHost()).startsWith("brokerextensionit-");
    }
  }

  /** A node that is this class's own. */
  @Tag("ci")
  @Nested
  class OfItsOwn {

    @RegisterExtension
    static final BrokerExtension own =
        BrokerExtension.version("4.3").dedicated().allowingOpenConnections();

    @Test
    void it_can_be_wiped_and_the_virtual_host_made_again() throws Exception {
      assertThat(own.node().amqpUri()).isNotEqualTo(broker.node().amqpUri());
      own.node().wipe();
      own.node().start();
      own.restoreVirtualHost();
      try (Connection connection = own.connectionFactory().newConnection("after-wipe")) {
        assertThat(connection.isOpen()).isTrue();
      }
    }
  }
}
