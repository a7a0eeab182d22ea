// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the defaults declare, as the broker itself shows it. */
@Tag("wide")
class DeclaredTopologyIT {
  private static final String PREFIX = "declared";

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void the_queues_have_the_arguments_that_keep_the_guarantees(String version) throws Exception {
    try (World world = new World(SharedNodes.of(version), PREFIX)) {
      String target = world.target("declared.target");
      DelayRoutes routes =
          DelayRoutes.builder()
              .hold(HoldOptions.builder().namePrefix(PREFIX).build())
              .route(
                  DelayRoute.builder("isolated")
                      .exchange(target)
                      .isolation(Isolation.DESTINATION)
                      .delays(Duration.ofMinutes(15), Duration.ofMillis(1_500))
                      .build())
              .build();
      DelayedPublisher publisher = world.publisher(routes);
      DelayedMessage held = DelayedMessage.to(target, "key").delay(Duration.ofHours(1));
      DelayedMessage temporary = held.strategy(DelayStrategy.TEMPORARY_QUEUE);
      PublishReceipt cancelled = Futures.get(publisher.publish(temporary));
      assertThat(Futures.get(publisher.publish(held)).confirmed()).isTrue();

      List<String> queues = new ArrayList<>(queues(world));
      named(queues, "declared\\.sink\\.1").hasSize(version.startsWith("4") ? 1 : 0);
      queues.removeIf(queue -> queue.startsWith("declared.sink.1\t"));
      assertThat(queues).allMatch(queue -> queue.contains("{\"x-queue-type\",\"quorum\"}"));
      assertThat(queues)
          .allMatch(queue -> queue.contains("{\"x-queue-leader-locator\",\"balanced\"}"));
      assertThat(queues)
          .filteredOn(queue -> !queue.matches("declared\\.(sink|unroutable)\t.*"))
          .allMatch(queue -> queue.contains("{\"x-dead-letter-strategy\",\"at-least-once\"}"))
          .allMatch(queue -> queue.contains("{\"x-overflow\",\"reject-publish\"}"));
      named(queues, "declared\\.wheel\\.quorum\\..*").hasSize(31 + 23 + 59 + 59 + 99);
      argument(queues, "wheel.quorum.1d.31", "x-message-ttl", "2678400000");
      argument(queues, "wheel.quorum.1d.31", "x-dead-letter-exchange", "declared.wheel.quorum.1h");
      argument(queues, "wheel.quorum.1m.59", "x-message-ttl", "3540000");
      argument(queues, "wheel.quorum.1m.59", "x-dead-letter-exchange", "declared.wheel.quorum.1s");
      argument(queues, "wheel.quorum.10ms.1", "x-message-ttl", "10");
      argument(queues, "wheel.quorum.10ms.1", "x-dead-letter-exchange", "declared.release");
      named(queues, "declared\\.ttl\\.quorum\\..*").hasSize(2);
      argument(queues, "ttl.quorum.1500", "x-message-ttl", "1500");
      argument(queues, "ttl.quorum.900000", "x-dead-letter-exchange", "declared.release");
      argument(queues, "out.declared~2etarget", "x-dead-letter-exchange", "declared.out-release");
      named(queues, "declared\\.temporary\\..*").hasSize(1);
      assertThat(Futures.get(publisher.cancel(cancelled))).isEqualTo(ChangeOutcome.DONE);
      publisher.close();

      assertSecondPublisherChangesNothing(world, routes);
    }
  }

  private static void assertSecondPublisherChangesNothing(World world, DelayRoutes routes) {
    List<String> queues = queues(world);
    List<String> exchanges = list(world, "list_exchanges", "name", "type", "arguments");
    List<String> bindings =
        list(world, "list_bindings", "source_name", "destination_name", "routing_key");

    int created = queuesCreated(world);
    Instant begin = Instant.now();
    world.publisher(routes);
    assertThat(Duration.between(begin, Instant.now())).isLessThan(Duration.ofSeconds(10));

    assertThat(queues(world)).isEqualTo(queues);
    assertThat(list(world, "list_exchanges", "name", "type", "arguments")).isEqualTo(exchanges);
    assertThat(list(world, "list_bindings", "source_name", "destination_name", "routing_key"))
        .isEqualTo(bindings);
    assertThat(queuesCreated(world) - created).as("new queues: the probes' own").isEqualTo(3);
  }

  /** By this node ever, also those deleted: a quorum queue's name stays in the broker's memory. */
  private static int queuesCreated(World world) {
    String metrics = "element(7, hd(ets:tab2list(connection_churn_metrics))).";
    return Integer.parseInt(world.node().ctl("-q", "eval", metrics).strip());
  }

  private static ListAssert<String> named(List<String> queues, String pattern) {
    return assertThat(queues).filteredOn(queue -> queue.matches(pattern + "\t.*"));
  }

  private static void argument(List<String> queues, String part, String name, String value) {
    assertThat(queues)
        .filteredOn(queue -> queue.startsWith(PREFIX + "." + part + "\t"))
        .singleElement()
        .asString()
        .containsPattern("\\{\"" + name + "\",\"?" + Pattern.quote(value) + "\"?}");
  }

  private static List<String> queues(World world) {
    return list(world, "list_queues", "name", "arguments");
  }

  private static List<String> list(World world, String command, String... columns) {
    List<String> line = new ArrayList<>(List.of("-q", command));
    line.addAll(List.of(columns));
    return world
        .node()
        .ctl(line.toArray(String[]::new))
        .lines()
        .filter(each -> each.contains(PREFIX + "."))
        .filter(each -> !each.contains("declared.target"))
        .filter(each -> !each.contains(PREFIX + ".probe"))
        .sorted()
        .toList();
  }
}
