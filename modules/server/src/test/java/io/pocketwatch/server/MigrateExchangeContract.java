// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Exchanges as the plugin leaves them behind. The node gets the plugin's exchange type and loses it
 * again, which is all of the plugin that its exchanges remember.
 */
abstract class MigrateExchangeContract {
  private static final String DELAYED = "x-delayed-message";
  private static final byte[] BODY = "hello".getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;

  private Connection connection;
  private Channel channel;
  private Path file;

  abstract BrokerExtension broker();

  @BeforeEach
  void leaveOneOver() throws Exception {
    file = folder.resolve("left.json");
    plugin("register(exchange, <<\"x-delayed-message\">>, rabbit_exchange_type_fanout)");
    connection = broker().connectionFactory().newConnection("test");
    channel = connection.createChannel();
    Map<String, Object> arguments =
        Map.of("x-delayed-type", "topic", "alternate-exchange", "amq.fanout");
    channel.exchangeDeclare("left", DELAYED, true, false, arguments);
    channel.exchangeDeclare("behind", BuiltinExchangeType.HEADERS);
    channel.exchangeDeclare("before", BuiltinExchangeType.TOPIC, false, true, Map.of());
    channel.queueDeclare("near", true, false, false, Map.of());
    channel.queueDeclare("far", true, false, false, Map.of());
    channel.queueBind("near", "left", "order.*");
    channel.queueBind("far", "behind", "", Map.of("x-match", "all", "kind", 7));
    channel.exchangeBind("behind", "left", "#", Map.of("note", "kept"));
    channel.exchangeBind("left", "before", "order.#");
  }

  @AfterEach
  void clear() throws IOException {
    withoutPlugin();
    connection.abort();
    try (Connection clearing = broker().connectionFactory().newConnection("clear")) {
      Channel last = clearing.createChannel();
      for (String each : List.of("left", "behind", "before")) {
        last.exchangeDelete(each);
      }
      last.queueDelete("near");
      last.queueDelete("far");
    } catch (TimeoutException e) {
      throw new IOException(e);
    }
  }

  @Test
  void it_gets_its_underlying_type_arguments_and_bindings_in_both_directions() throws Exception {
    withoutPlugin();
    List<String> bindings = bindings();

    CommandRun run = migrate();

    assertThat(run.exitCode()).as("%s", run).isZero();
    assertThat(run.lastOut()).contains("'left' is of type topic now, with 3 bindings");
    assertThat(left()).isEqualTo("left\ttopic\ttrue\t[{\"alternate-exchange\",\"amq.fanout\"}]");
    assertThat(bindings()).isEqualTo(bindings);
    channel.basicPublish("left", "order.new", null, BODY);
    channel.basicPublish(
        "before",
        "order.new",
        new AMQP.BasicProperties.Builder().headers(Map.of("kind", 7)).build(),
        BODY);
    await().until(() -> channel.messageCount("near") == 2 && channel.messageCount("far") == 1);
    assertThat(file).doesNotExist();
    assertThat(folder.resolve("left.json.done")).exists();
  }

  @Test
  void a_dry_run_prints_the_plan_and_changes_nothing() throws IOException {
    withoutPlugin();

    CommandRun run = migrate("--dry-run");

    assertThat(run.exitCode()).isZero();
    assertThat(String.join("\n", run.out()))
        .contains("no longer has", "It becomes: topic, durable", "3 bindings")
        .contains("left -> queue near, key 'order.*'", "before -> exchange left, key 'order.#'")
        .contains("\"type\":\"topic\",\"durable\":true")
        .contains("arguments {note=kept}", file.toString(), "Stop its publishers");
    assertThat(left()).contains(DELAYED);
    assertThat(file).doesNotExist();
  }

  @Test
  void another_type_and_an_exchange_that_is_not_there_are_refused() throws IOException {
    CommandRun other = run("behind");
    CommandRun none = run("nobody");

    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.err())
        .anyMatch(line -> line.contains("'behind'") && line.contains("is of type headers, not"));
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).anyMatch(line -> line.contains("there is no exchange 'nobody'"));
  }

  @Test
  void with_the_plugin_it_needs_a_yes() throws IOException {
    CommandRun asked = migrate();

    assertThat(asked.exitCode()).isEqualTo(1);
    assertThat(asked.err()).anyMatch(line -> line.contains("is lost") && line.contains("--yes"));
    assertThat(left()).contains(DELAYED);

    assertThat(migrate("--yes").exitCode()).isZero();
    assertThat(left()).startsWith("left\ttopic");
  }

  @Test
  void a_run_that_was_broken_off_is_ended_by_the_next() throws IOException {
    withoutPlugin();
    List<String> bindings = bindings();
    assertThat(migrate().exitCode()).isZero();
    Files.move(folder.resolve("left.json.done"), file);
    channel.exchangeDelete("left");
    channel.exchangeDeclare("before", BuiltinExchangeType.TOPIC, false, true, Map.of());

    CommandRun other = migrate("--type", "direct");
    CommandRun next = migrate();

    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.err()).anyMatch(line -> line.contains("--type direct"));
    assertThat(next.exitCode()).as("%s", next).isZero();
    assertThat(next.err()).anyMatch(line -> line.contains("deleted by an earlier run"));
    assertThat(left()).startsWith("left\ttopic");
    assertThat(bindings()).isEqualTo(bindings);
    assertThat(file).doesNotExist();
  }

  @Test
  void a_file_with_another_definition_is_not_overwritten() throws IOException {
    withoutPlugin();
    assertThat(migrate("--type", "direct").exitCode()).isZero();
    Files.move(folder.resolve("left.json.done"), file);
    String kept = Files.readString(file);
    leaveAnotherOver();

    CommandRun run = migrate();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).anyMatch(line -> line.contains("--file " + file));
    assertThat(left()).contains(DELAYED);
    assertThat(file).hasContent(kept);
  }

  @Test
  void a_binding_that_only_another_client_can_make_stops_it_before_anything_is_changed()
      throws Exception {
    String exclusive = channel.queueDeclare().getQueue();
    channel.queueBind(exclusive, "left", "mine");
    withoutPlugin();

    CommandRun first = migrate();
    assertThat(first.exitCode()).isEqualTo(1);
    assertThat(first.err()).anyMatch(line -> line.contains(exclusive) && line.contains("LOCKED"));
    assertThat(left()).contains(DELAYED);
    assertThat(file).doesNotExist();

    CommandRun second = migrate("--yes");
    assertThat(second.exitCode()).as("%s", second).isZero();
    assertThat(second.err()).anyMatch(line -> line.startsWith("Given up: left -> queue"));
    assertThat(second.lastOut()).contains("3 bindings");
  }

  @Test
  void a_type_that_the_broker_lacks_is_found_before_anything_is_changed() throws IOException {
    withoutPlugin();

    CommandRun run = migrate("--type", "x-nonsense");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).anyMatch(line -> line.contains("'x-nonsense'"));
    assertThat(left()).contains(DELAYED);
    assertThat(file).doesNotExist();
  }

  @Test
  void missing_rights_are_found_before_anything_is_changed() throws IOException {
    withoutPlugin();
    String user = broker().virtualHost();
    String address = userWith(user, "^left", "^(left|behind|amq)");
    try {
      CommandRun run = run("left", "--broker", address, "--file", file.toString());

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err())
          .anyMatch(line -> line.contains("queue near") && line.contains("ACCESS_REFUSED"));
      assertThat(left()).contains(DELAYED);
      assertThat(file).doesNotExist();
    } finally {
      broker().node().ctl("delete_user", user);
    }
  }

  /** A right that cannot be tried under another name: to write to the alternate exchange. */
  @Test
  void a_run_that_fails_in_the_middle_says_how_to_go_on() throws IOException {
    withoutPlugin();
    List<String> bindings = bindings();
    String user = broker().virtualHost();
    String address = userWith(user, "^left$", "^(left|behind|near)");
    try {
      CommandRun first = run("left", "--broker", address, "--file", file.toString());

      assertThat(first.exitCode()).isEqualTo(1);
      assertThat(first.err())
          .anyMatch(line -> line.contains("broken off") && line.contains("ACCESS_REFUSED"))
          .anyMatch(line -> line.contains(file + ". To go on, run the same command again"));
      assertThat(left()).isEmpty();
      assertThat(migrate().exitCode()).isEqualTo(1); // "before" is gone: nothing kept it alive
      channel.exchangeDeclare("before", BuiltinExchangeType.TOPIC, false, true, Map.of());
      assertThat(migrate().exitCode()).isZero();
      assertThat(bindings()).isEqualTo(bindings);
    } finally {
      broker().node().ctl("delete_user", user);
    }
  }

  @Test
  void a_management_api_that_does_not_answer_or_refuses_is_named() {
    URI api = broker().node().managementUri().orElseThrow();

    CommandRun closed = run("left", "--management", "http://127.0.0.1:1");
    CommandRun refused =
        run(
            "left",
            "--management",
            "http://nobody:wrong@%s:%s".formatted(api.getHost(), api.getPort()));

    assertThat(closed.exitCode()).isEqualTo(3);
    assertThat(closed.err()).anyMatch(line -> line.contains("--management http://127.0.0.1:1 "));
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).anyMatch(line -> line.contains("refuses user 'nobody'"));
    assertThat(String.join("\n", refused.err())).doesNotContain("wrong");
  }

  private String userWith(String name, String configure, String write) {
    String host = broker().virtualHost();
    broker().node().ctl("add_user", name, "secret");
    broker().node().ctl("set_user_tags", name, "management");
    broker().node().ctl("set_permissions", "-p", host, name, configure, write, ".*");
    URI plain = broker().amqpUri();
    return "amqp://%s:secret@%s:%s/%s".formatted(name, plain.getHost(), plain.getPort(), host);
  }

  private CommandRun migrate(String... more) {
    return run(
        "left",
        Stream.concat(Stream.of("--file", file.toString()), Stream.of(more))
            .toArray(String[]::new));
  }

  private CommandRun run(String exchange, String... more) {
    List<String> line = new ArrayList<>(List.of("migrate-exchange", exchange));
    line.addAll(List.of(more));
    if (!line.contains("--broker")) {
      line.addAll(List.of("--broker", broker().amqpUri().toString()));
    }
    if (!line.contains("--management")) {
      URI api = broker().node().managementUri().orElseThrow();
      line.addAll(List.of("--management", "http://%s:%s/".formatted(api.getHost(), api.getPort())));
    }
    return CommandRun.of(line.toArray(String[]::new));
  }

  /** The plugin comes back for a moment, and one more is left over. */
  private void leaveAnotherOver() throws IOException {
    channel.exchangeDelete("left");
    plugin("register(exchange, <<\"x-delayed-message\">>, rabbit_exchange_type_fanout)");
    channel.exchangeDeclare("left", DELAYED, true, false, Map.of("x-delayed-type", "topic"));
    withoutPlugin();
  }

  private void withoutPlugin() {
    plugin("unregister(exchange, <<\"x-delayed-message\">>)");
  }

  private void plugin(String call) {
    broker().node().ctl("eval", "rabbit_registry:" + call + ".");
  }

  private String left() {
    return listed("list_exchanges", "name", "type", "durable", "arguments").stream()
        .filter(line -> line.startsWith("left\t"))
        .findFirst()
        .orElse("");
  }

  private List<String> bindings() {
    return listed(
        "list_bindings",
        "source_name",
        "destination_name",
        "destination_kind",
        "routing_key",
        "arguments");
  }

  private List<String> listed(String what, String... columns) {
    List<String> arguments = new ArrayList<>(List.of("-q", what, "-p", broker().virtualHost()));
    arguments.addAll(List.of(columns));
    return broker().node().ctl(arguments.toArray(String[]::new)).lines().sorted().toList();
  }
}
