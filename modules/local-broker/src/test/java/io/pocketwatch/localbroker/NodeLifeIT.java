// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

/** One life of a node, with data in it, from each source this machine has. */
@Tag("wide")
class NodeLifeIT {

  private static final String QUEUE = "kept";

  @ParameterizedTest
  @CsvSource({"INSTALLED,", "PACKAGES, 4.3", "DOCKER, 4.3"})
  void keepsItsDataUntilItIsWiped(BrokerSource source, String version) throws Exception {
    try (BrokerNode node = node(source, version)) {
      assertThat(node.source()).isEqualTo(source);
      assertThat(Versions.fits(node.version(), version)).isTrue();
      assertThat(node.residentBytes()).isGreaterThan(20_000_000);
      assertThat(node.cpuTime()).isPositive();
      assertThat(node.managementUri()).isPresent();
      assertThat(tuning(node)).contains("500");
      assertThat(node.log()).contains("Server startup complete");
      publish(node, "first");
      if (node.version().startsWith("3.")) {
        // Mnesia writes behind: a queue declared a moment before a kill -9 may not come back.
        node.ctl("eval", "mnesia:dump_log().");
      }
      assertThatACallWaitsWhile(node);
      assertThatThrownBy(() -> node.setClock(Duration.ofHours(1)))
          .isInstanceOf(UnsupportedOperationException.class);
      node.kill();
      assertThat(node.running()).isFalse();
      node.start();
      assertThat(take(node)).isEqualTo("first");
      node.wipe();
      node.start();
      assertThat(node.ctl("-q", "list_queues", "name")).doesNotContain(QUEUE);
      assertThatThrownBy(() -> node.ctl("no_such_command"))
          .isInstanceOf(BrokerControlException.class)
          .hasMessageContaining("no_such_command");
    }
  }

  @ParameterizedTest
  @CsvSource({"INSTALLED,", "PACKAGES, 4.3"})
  void aCommandWaitsForANodeThatIsStillStarting(BrokerSource source, String version)
      throws Exception {
    try (BrokerNode node = node(source, version)) {
      node.ctl("stop_app");
      CompletableFuture<String> starting =
          CompletableFuture.supplyAsync(() -> node.ctl("start_app"));
      node.ctl("add_vhost", "early");
      assertThat(node.ctl("-q", "list_vhosts")).contains("early");
      starting.get(60, TimeUnit.SECONDS);
    }
  }

  private static BrokerNode node(BrokerSource source, String version) {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults()
            .withSources(EnumSet.of(source))
            .withVersion(version)
            .withControllable(true);
    try {
      return LocalBroker.find(options);
    } catch (BrokerUnavailableException e) {
      System.err.println("### NOT RUN: " + source + " cannot supply a broker: " + e.getMessage());
      throw new TestAbortedException(e.getMessage(), e);
    }
  }

  private static String tuning(BrokerNode node) {
    return node.ctl("eval", "application:get_env(rabbit, dead_letter_worker_consumer_prefetch).");
  }

  private static void publish(BrokerNode node, String text) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection("node-life");
        Channel channel = connection.createChannel()) {
      // Classic: a quorum queue declared a moment before a kill -9 can come back empty.
      channel.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", "classic"));
      channel.confirmSelect();
      channel.basicPublish(
          "", QUEUE, MessageProperties.PERSISTENT_BASIC, text.getBytes(StandardCharsets.UTF_8));
      channel.waitForConfirmsOrDie(10_000);
    }
  }

  private static String take(BrokerNode node) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection("node-life");
        Channel channel = connection.createChannel()) {
      GetResponse response = channel.basicGet(QUEUE, true);
      return response == null ? "nothing" : new String(response.getBody(), StandardCharsets.UTF_8);
    }
  }

  private static void assertThatACallWaitsWhile(BrokerNode paused) throws Exception {
    try (Connection connection = paused.connectionFactory().newConnection("node-life");
        Channel channel = connection.createChannel()) {
      paused.pause();
      CompletableFuture<Long> count =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return channel.messageCount(QUEUE);
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      assertThatThrownBy(() -> count.get(300, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      paused.resume();
      assertThat(answer(count)).isEqualTo(1);
    }
  }

  private static long answer(CompletableFuture<Long> count)
      throws InterruptedException, ExecutionException, TimeoutException {
    return count.get(10, TimeUnit.SECONDS);
  }
}
