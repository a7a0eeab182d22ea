// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.localbroker.BrokerNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a release declared on a broker, and put on its wire, serves this version. Before 0.1.0 is
 * out, {@code POCKETWATCH_WRITE_RELEASED=true} writes the definitions anew from the code as it is;
 * afterwards that would hide what this test is for.
 */
@Tag("ci")
class UpgradeIT {
  private static final Path RELEASED =
      Path.of("src", "test", "resources", "released", "0.1.0", "definitions.json");
  private static final String PREFIX = "released";
  private static final String TARGET = PREFIX + ".target";
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  @Test
  void queues_and_messages_of_a_release_go_on() throws Exception {
    if (Boolean.parseBoolean(System.getenv("POCKETWATCH_WRITE_RELEASED"))) {
      try (BrokerNode node = SharedNodes.own(SharedNodes.NEWEST);
          World world = new World(node, PREFIX)) {
        world.target(TARGET);
        assertDelays(world.publisher(routes(world)), world.inbox(TARGET), "at the release");
        Files.createDirectories(RELEASED.getParent());
        JSON.writeValue(RELEASED.toFile(), definitions(world));
      }
    }
    try (BrokerNode node = SharedNodes.own(SharedNodes.NEWEST);
        World world = new World(node, PREFIX)) {
      importDefinitions(world);
      assertThat(definitions(world)).isEqualTo(JSON.readTree(RELEASED.toFile()));
      Inbox inbox = world.inbox(TARGET);

      publishAsReleased(world, "held over the upgrade");
      assertDelays(world.publisher(routes(world)), inbox, "held over the upgrade");
      publishAsReleased(world, "by a program of the release");
      inbox.await(4, Duration.ofSeconds(30));

      assertThat(definitions(world))
          .as("what is declared has changed: 0.1.0's messages need their queues, users an upgrade")
          .isEqualTo(JSON.readTree(RELEASED.toFile()));
      assertThat(bodies(inbox)).contains("by a program of the release");
    }
  }

  private static DelayRoutes routes(World world) {
    DelayRoutes routes = world.routes();
    return routes.toBuilder()
        .route(
            DelayRoute.builder("isolated")
                .exchange(TARGET)
                .isolation(Isolation.DESTINATION)
                .delays(Duration.ofMillis(1_500))
                .build())
        .build();
  }

  /** On the wheel, in a TTL queue, and what else has been sent. */
  private static void assertDelays(DelayedPublisher publisher, Inbox inbox, String sent)
      throws Exception {
    DelayedMessage message = DelayedMessage.to(TARGET, "key");
    for (Duration delay : List.of(Duration.ofMillis(1_230), Duration.ofMillis(1_500))) {
      DelayedMessage held = message.body(bytes(delay.toString())).delay(delay);
      assertThat(Futures.get(publisher.publish(held)).confirmed()).isTrue();
    }
    if (sent.startsWith("held")) {
      inbox.await(3, Duration.ofSeconds(30));
      assertThat(bodies(inbox)).contains(sent);
    } else {
      inbox.await(2, Duration.ofSeconds(30));
    }
    assertThat(bodies(inbox)).contains("PT1.23S", "PT1.5S");
  }

  /** 2.34 s on the small wheel, letter by letter as 0.1.0 wrote it. */
  private static void publishAsReleased(World world, String body) throws IOException {
    List<String> keys =
        List.of(
            "pw-1s-2",
            "pw-100ms-3",
            "pw-10ms-4",
            "pw-out-released~2etarget",
            "pw-via-released~2etarget");
    BasicProperties properties =
        new BasicProperties.Builder().deliveryMode(2).headers(Map.of("BCC", keys)).build();
    world.channel().confirmSelect();
    world.channel().basicPublish("released.wheel.quorum.1s", "key", true, properties, bytes(body));
    try {
      world.channel().waitForConfirmsOrDie(10_000);
    } catch (Exception e) {
      throw new IOException("the broker did not take " + body, e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> bodies(Inbox inbox) {
    return inbox.arrivals().stream()
        .map(each -> new String(each.delivery().getBody(), StandardCharsets.UTF_8))
        .toList();
  }

  /** All that begins with our prefix, in order; not the queues of a probe, which come and go. */
  private static JsonNode definitions(World world) throws IOException {
    JsonNode all = JSON.readTree(exchanged(world, "export_definitions", null));
    ObjectNode ours = JSON.createObjectNode();
    for (String kind : List.of("exchanges", "queues", "bindings")) {
      TreeMap<String, JsonNode> sorted = new TreeMap<>();
      for (JsonNode each : all.path(kind)) {
        String name = each.path("name").asText() + each.path("source").asText();
        if (name.startsWith(PREFIX + ".") && !each.toString().contains(PREFIX + ".probe")) {
          sorted.put(each.toString(), each);
        }
      }
      ours.set(kind, JSON.createArrayNode().addAll(sorted.values()));
    }
    return JSON.readTree(ours.toString());
  }

  private static void importDefinitions(World world) throws IOException {
    ObjectNode definitions = (ObjectNode) JSON.readTree(RELEASED.toFile());
    definitions.putArray("vhosts").addObject().put("name", "/");
    exchanged(world, "import_definitions", definitions.toString());
  }

  /** By a file that the node's user may read and write. */
  private static String exchanged(World world, String command, @Nullable String text)
      throws IOException {
    Path file = Files.createTempFile("pocketwatch-definitions-", ".json");
    try {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
      if (text != null) {
        Files.writeString(file, text);
      }
      world.node().ctl("-q", command, file.toString(), "--format", "json");
      return Files.readString(file);
    } finally {
      Files.delete(file);
    }
  }
}
