// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.localbroker.BrokerNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A virtual host with a limit on queues, as small plans of hosted brokers have. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class QueueLimitIT {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration TENTH = Duration.ofMillis(100);
  private static final DelayedMessage MINUTE =
      DelayedMessage.toQueue("of-the-application").delay(Duration.ofMinutes(1));

  @Tag("ci")
  @ParameterizedTest
  @MethodSource("io.pocketwatch.it.ContractBrokers#versions")
  void a_wheel_that_does_not_fit_leaves_the_places_to_the_application(String version)
      throws Exception {
    try (Limited limited = new Limited(version, 60)) {
      DelayedPublisher publisher = limited.publisher(DelayRoutes.none());

      assertThat(refusal(publisher))
          .contains("queue limit in vhost '" + limited.host + "' (60) is reached")
          .contains("needs 271 queues")
          .contains("a wheel with fewer queues")
          .doesNotContain("name-prefix");
      Set<String> left = limited.queues();
      int tries = limited.refusals();
      assertThat(refusal(publisher)).contains("is reached");

      assertThat(left).noneMatch(queue -> queue.contains(".wheel."));
      assertThat(limited.refusals()).as("it is not tried at each send").isEqualTo(tries);
      for (int i = 0; i < 50; i++) {
        limited.channel.queueDeclare("of-the-application-" + i, true, false, false, Map.of());
      }
      PublishReceipt soon =
          Futures.get(publisher.publish(DelayedMessage.toQueue("of-the-application")));
      assertThat(soon.outcome()).as("%s", soon).isEqualTo(CONFIRMED);
    }
  }

  /** Those of a wheel that works are bound. */
  @Tag("ci")
  @ParameterizedTest
  @MethodSource("io.pocketwatch.it.ContractBrokers#versions")
  void what_somebody_uses_is_left_alone(String version) throws Exception {
    try (Limited limited = new Limited(version, 60)) {
      DelayedPublisher small = limited.publisher(wheel(ofSeconds(20), SECOND, TENTH));
      DelayedMessage held = DelayedMessage.toQueue("of-the-application").delay(ofSeconds(4));
      PublishReceipt receipt = Futures.get(small.publish(held));
      assertThat(receipt.outcome()).isEqualTo(CONFIRMED);
      Set<String> before = limited.queues();
      DelayedPublisher large =
          limited.publisher(wheel(Duration.ofHours(1), Duration.ofMinutes(1), SECOND, TENTH));

      assertThat(refusal(large)).contains("is reached");

      assertThat(limited.queues()).isEqualTo(before);
      assertThat(Futures.get(small.publish(held)).outcome()).isEqualTo(CONFIRMED);
      try (Inbox inbox = new Inbox(limited.factory, "of-the-application")) {
        assertThat(inbox.await(2, Duration.ofSeconds(20))).hasSize(2);
      }
    }
  }

  /** Without its first queue a wheel is not one that this publisher has made. */
  @Tag("ci")
  @ParameterizedTest
  @MethodSource("io.pocketwatch.it.ContractBrokers#versions")
  void what_was_there_is_not_deleted_where_the_first_queue_is_gone(String version)
      throws Exception {
    try (Limited limited = new Limited(version, 60)) {
      DelayRoutes routes = wheel(Duration.ofMinutes(2), ofSeconds(10), SECOND);
      DelayedPublisher first = limited.publisher(routes);
      Futures.get(first.publish(DelayedMessage.toQueue("of-the-application").delay(SECOND)));
      String gone =
          limited.queues().stream()
              .filter(each -> each.endsWith(".10s.1"))
              .findFirst()
              .orElseThrow();
      limited.channel.queueDelete(gone);
      Set<String> before = limited.queues();
      limited.fill();

      DelayedPublisher second = limited.publisher(routes);
      assertThat(refusal(second)).contains("is reached");

      assertThat(limited.queues()).containsAll(before);
    }
  }

  @ParameterizedTest
  @MethodSource("io.pocketwatch.it.ContractBrokers#versions")
  void a_temporary_queue_without_a_place_is_refused_with_the_limit(String version)
      throws Exception {
    try (Limited limited = new Limited(version, 60)) {
      DelayedPublisher publisher = limited.publisher(DelayRoutes.none());
      Futures.get(publisher.publish(DelayedMessage.toQueue("of-the-application")));
      limited.fill();

      PublishReceipt receipt =
          Futures.get(publisher.publish(MINUTE.strategy(DelayStrategy.TEMPORARY_QUEUE)));

      assertThat(receipt.outcome()).isEqualTo(PublishOutcome.REJECTED);
      assertThat(receipt.cause()).isEqualTo(Cause.NO_ROOM);
      assertThat(receipt.detail()).contains("queue limit in vhost", "(60) is reached");
    }
  }

  @Tag("ci")
  @ParameterizedTest
  @MethodSource("io.pocketwatch.it.ContractBrokers#versions")
  void the_wheel_of_the_questions_fits_a_hundred_queues(String version) throws Exception {
    String page = Files.readString(Path.of("..", "docs", "faq.md"));
    Matcher yaml =
        Pattern.compile("(?ms)^#+ .*few queues\\?$.*?^```yaml\\n(.*?)^```").matcher(page);
    assertThat(yaml.find()).isTrue();
    try (Limited limited = new Limited(version, 100)) {
      DelayRoutes routes = DelayRoutes.parse(yaml.group(1), "faq.md");
      DelayedPublisher publisher = limited.publisher(routes);
      publisher.declareWheel().get();
      Set<String> ours = limited.queues();
      ours.removeIf(queue -> !queue.startsWith("pocketwatch."));

      PublishReceipt receipt =
          Futures.get(
              publisher.publish(DelayedMessage.toQueue("of-the-application").delay(ofSeconds(12))));

      assertThat(receipt.strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
      assertThat(page.replaceAll("\\s+", " ")).contains("has %s queues".formatted(wheel(ours)));
      assertThat(ours).hasSizeLessThanOrEqualTo(50);
      try (Inbox inbox = new Inbox(limited.factory, "of-the-application")) {
        assertThat(inbox.await(1, Duration.ofSeconds(20)).get(0).lateness())
            .isBetween(Duration.ZERO, ofSeconds(2));
      }
    }
  }

  private static String refusal(DelayedPublisher publisher) {
    return String.valueOf(
        catchThrowableOfType(ExecutionException.class, () -> publisher.publish(MINUTE).get())
            .getCause());
  }

  private static long wheel(Set<String> queues) {
    return queues.stream().filter(queue -> queue.startsWith("pocketwatch.wheel.")).count();
  }

  private static DelayRoutes wheel(Duration maxDelay, Duration... hands) {
    WheelOptions wheel = WheelOptions.builder().maxDelay(maxDelay).hands(List.of(hands)).build();
    return DelayRoutes.builder().hold(HoldOptions.builder().wheel(wheel).build()).build();
  }

  private static Duration ofSeconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  /** A virtual host of its own, with one queue of the application. */
  private static final class Limited implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final String host = "queue-limit-" + NUMBER.incrementAndGet();
    private final BrokerNode node;
    final ConnectionFactory factory;
    private final Connection connection;
    final Channel channel;
    private final List<DelayedPublisher> open = new ArrayList<>();

    Limited(String version, int queues) throws Exception {
      node = SharedNodes.of(version);
      node.ctl("add_vhost", host);
      node.ctl("set_permissions", "-p", host, "guest", ".*", ".*", ".*");
      node.ctl("set_vhost_limits", "-p", host, "{\"max-queues\": %s}".formatted(queues));
      factory = node.connectionFactory();
      factory.setVirtualHost(host);
      factory.setAutomaticRecoveryEnabled(false);
      connection = factory.newConnection("test");
      channel = connection.createChannel();
      channel.queueDeclare("of-the-application", true, false, false, Map.of());
    }

    DelayedPublisher publisher(DelayRoutes routes) {
      DelayedPublisher publisher = DelayedPublisher.builder(factory).routes(routes).build();
      open.add(publisher);
      return publisher;
    }

    Set<String> queues() {
      return node.ctl("-q", "list_queues", "-p", host, "name")
          .lines()
          .collect(Collectors.toCollection(TreeSet::new));
    }

    /** How often the broker has refused a queue here for the limit. */
    int refusals() {
      return (int)
          node.log()
              .lines()
              .filter(line -> line.contains("'" + host + "'") && line.contains("is reached"))
              .count();
    }

    void fill() throws IOException {
      for (int i = queues().size() - 1; i < 60; i++) { // one is the heading
        channel.queueDeclare("of-the-application-" + i, true, false, false, Map.of());
      }
    }

    @Override
    public void close() throws Exception {
      for (DelayedPublisher each : open) {
        each.close();
      }
      connection.close();
      node.ctl("delete_vhost", host);
    }
  }
}
