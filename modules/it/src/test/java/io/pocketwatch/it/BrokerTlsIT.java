// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.it.Certificates.Identity;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS to a broker that has a certificate, and wants one. */
@Tag("wide")
class BrokerTlsIT {
  private static final int NO_BROKER = 3;

  @TempDir private static Path folder;
  private static Certificates certificates;
  private static Identity server;
  private static Identity client;

  private static int port;
  private static BrokerNode node;

  @BeforeAll
  static void start() throws Exception {
    certificates = new Certificates(folder);
    server = certificates.issue("server", "dns:localhost,ip:127.0.0.1");
    client = certificates.issue("client", "dns:client");
    port = freePort();
    node = node(SharedNodes.NEWEST, port);
  }

  @AfterAll
  static void stop() {
    if (node != null) {
      node.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void with_a_certificate_for_each_other_messages_arrive(String version) throws Exception {
    int itsPort = version.equals(SharedNodes.NEWEST) ? port : freePort();
    BrokerNode its = version.equals(SharedNodes.NEWEST) ? node : node(version, itsPort);
    try (World world = new World(its, "tls")) {
      String target = world.queue("tls.target");
      DelayedPublisher publisher = world.publisher(factory(itsPort, client), world.routes());

      PublishReceipt receipt =
          Futures.get(
              publisher.publish(DelayedMessage.toQueue(target).delay(Duration.ofMillis(300))));

      assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
      assertThat(world.inbox(target).awaitOne().id()).isEqualTo(receipt.id());
      assertThat(its.ctl("-q", "list_connections", "ssl", "peer_cert_subject"))
          .contains("true\tCN=client");
    } finally {
      if (its != node) {
        its.close();
      }
    }
  }

  @Test
  void without_a_certificate_of_its_own_nobody_gets_in() {
    assertThatThrownBy(() -> DelayedPublisher.builder(factory(port, null)).build())
        .hasRootCauseInstanceOf(IOException.class);
  }

  /** The server's default is the JVM's trust: nothing to configure for a public authority. */
  @Test
  void the_server_connects_with_the_stores_of_its_jvm() throws Exception {
    try (World world = new World(node, "tls-server")) {
      world.publisher();

      ServerProcess.Result result =
          new ServerProcess(folder, stores(certificates.trustStore(), client), broker("localhost"))
              .run("repair", "--config", configuration().toString());

      assertThat(result.output()).contains("All 36 hold queues take messages");
      assertThat(result.exitCode()).isZero();
    }
  }

  @Test
  void the_server_does_not_talk_to_a_broker_it_cannot_trust() throws Exception {
    assertRefused(new ServerProcess(folder, List.of(), broker("localhost")), "PKIX");
  }

  /** As whoever stands between would be: with a certificate, but for another name. */
  @Test
  void the_server_does_not_talk_to_a_broker_of_another_name() throws Exception {
    Identity other = certificates.issue("other", "dns:other.example");
    int otherPort = freePort();
    try (BrokerNode impostor = node(SharedNodes.NEWEST, otherPort, other)) {
      assertThat(impostor.running()).isTrue();
      String address = "amqps://guest:guest@localhost:" + otherPort;
      assertRefused(
          new ServerProcess(
              folder,
              stores(certificates.trustStore(), client),
              Map.of("POCKETWATCH_BROKER", address)),
          "localhost");
    }
  }

  @Test
  void a_trust_store_that_cannot_be_read_is_named() throws Exception {
    Path broken = Files.writeString(folder.resolve("broken.p12"), "no store");
    assertRefused(
        new ServerProcess(folder, stores(broken, client), broker("localhost")),
        "javax.net.ssl.trustStore");
  }

  private static void assertRefused(ServerProcess process, String why) throws Exception {
    ServerProcess.Result result = process.run("repair", "--config", configuration().toString());
    assertThat(result.output()).contains(why).doesNotContain(Certificates.PASSWORD, "guest:guest");
    assertThat(result.exitCode()).as(result.output()).isEqualTo(NO_BROKER);
  }

  private static List<String> stores(Path trusted, Identity shown) {
    List<String> options = new ArrayList<>();
    options.add("-Djavax.net.ssl.trustStore=" + trusted);
    options.add("-Djavax.net.ssl.trustStorePassword=" + Certificates.PASSWORD);
    options.add("-Djavax.net.ssl.keyStore=" + shown.keyStore());
    options.add("-Djavax.net.ssl.keyStorePassword=" + Certificates.PASSWORD);
    return options;
  }

  private static Map<String, String> broker(String host) {
    return Map.of("POCKETWATCH_BROKER", "amqps://guest:guest@%s:%s".formatted(host, port));
  }

  private static Path configuration() throws IOException {
    return Files.writeString(
        folder.resolve("tls.yml"),
        "pocketwatch: {name-prefix: tls-server, wheel: {max-delay: 90s, hands: [10s, 1s, 100ms,"
            + " 10ms]}}\n");
  }

  private static ConnectionFactory factory(int port, Identity shown) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost("localhost");
    factory.setPort(port);
    factory.useSslProtocol(certificates.context(shown));
    factory.enableHostnameVerification();
    return factory;
  }

  private static BrokerNode node(String version, int port) {
    return node(version, port, server);
  }

  private static BrokerNode node(String version, int port, Identity identity) {
    return LocalBroker.find(
        LocalBrokerOptions.defaults()
            .withVersion(version)
            .withControllable(true)
            .withPlugins(List.of())
            .withConfigLines(
                List.of(
                    "listeners.ssl.1 = 127.0.0.1:" + port,
                    "ssl_options.cacertfile = " + certificates.authority(),
                    "ssl_options.certfile = " + identity.certificate(),
                    "ssl_options.keyfile = " + identity.key(),
                    "ssl_options.verify = verify_peer",
                    "ssl_options.fail_if_no_peer_cert = true")));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
