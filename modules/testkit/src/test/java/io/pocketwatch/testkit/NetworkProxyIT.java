// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.localbroker.NetworkProxy;
import io.pocketwatch.localbroker.NetworkProxy.Direction;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NetworkProxyIT {

  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private NetworkProxy proxy;

  @BeforeEach
  void open() {
    proxy = NetworkProxy.to(broker.node().amqpUri());
  }

  @AfterEach
  void close() {
    proxy.close();
  }

  private Connection connect() throws IOException, TimeoutException {
    ConnectionFactory factory = broker.connectionFactory();
    factory.setHost(proxy.host());
    factory.setPort(proxy.port());
    factory.setAutomaticRecoveryEnabled(false);
    factory.setConnectionTimeout(2_000);
    factory.setHandshakeTimeout(2_000);
    return factory.newConnection("proxied");
  }

  @Test
  void cut_resets_and_refuses_until_it_is_resumed() throws Exception {
    Connection connection = connect();
    assertThat(proxy.connections()).isEqualTo(1);
    CountDownLatch lost = new CountDownLatch(1);
    connection.addShutdownListener(cause -> lost.countDown());
    proxy.cut();
    assertThat(lost.await(5, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
    proxy.resume();
    try (Connection again = connect()) {
      assertThat(again.isOpen()).isTrue();
    }
    await().until(() -> proxy.connections() == 0);
    assertThat(proxy.accepted()).isEqualTo(2);
  }

  @Test
  void stalled_confirms_arrive_after_resume() throws Exception {
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      String queue = channel.queueDeclare().getQueue();
      channel.confirmSelect();
      CountDownLatch confirmed = new CountDownLatch(1);
      channel.addConfirmListener((tag, multiple) -> confirmed.countDown(), (tag, multiple) -> {});
      proxy.stall(Direction.TO_CLIENT);
      channel.basicPublish("", queue, null, new byte[] {1});
      await()
          .until(
              () ->
                  broker
                      .node()
                      .ctl("-q", "list_queues", "-p", broker.virtualHost(), "messages")
                      .contains("1"));
      assertThat(confirmed.getCount()).isEqualTo(1);
      proxy.resume();
      assertThat(confirmed.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void nothing_passes_a_stalled_proxy() {
    proxy.stall();
    assertThatThrownBy(this::connect).isInstanceOf(TimeoutException.class);
    proxy.reset();
  }
}
