// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.localbroker.BrokerNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Passwords are nowhere in what a program prints and answers, whatever goes wrong. */
@Tag("wide")
class SecretsIT {
  private static final String BROKER_SECRET = "br0ker-s3cret";
  private static final String STORE_SECRET = "st0re-s3cret";
  private static final String USER = "secretive";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of every library. */
  private static final List<String> ALL_LOGS = List.of("-DPOCKETWATCH_LOG_LEVEL=TRACE");

  @TempDir private Path folder;
  private URI page;

  /** With its passwords from files. */
  @Test
  void the_server_at_work() throws Exception {
    BrokerNode node = SharedNodes.of(SharedNodes.NEWEST);
    node.ctl("add_user", USER, BROKER_SECRET);
    node.ctl("set_permissions", USER, ".*", ".*", ".*");
    Path config = configuration(freePort());
    Path log = folder.resolve("serve.log");
    ServerProcess server = new ServerProcess(folder, ALL_LOGS, secretsInFiles(node));
    assertThat(server.run("schema", "--create", "--config", config.toString()))
        .satisfies(created -> assertThat(created.exitCode()).as(created.output()).isZero());
    StringBuilder answers = new StringBuilder();
    Process process = server.start(log, "serve", "--config", config.toString());
    try {
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(log).content().contains("Serving: "));
      await().atMost(PATIENCE).until(() -> get("/health").statusCode() == 200);
      answers.append(get("/health").body()).append(get("/metrics").body());
    } finally {
      process.destroy();
      process.waitFor();
      node.ctl("delete_user", USER);
    }

    assertTold(answers.toString(), "pocketwatch_");
    assertTold(Files.readString(log), "Stopped");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "amqp://guest:{secret}@127.0.0.1:{port} | refuses the user",
        "amqp://guest:{secret}@127.0.0.1:1      | no broker answers",
        "amqp://guest:{secret}@127.0.0.1:1,amqp://guest:{secret}@127.0.0.1:2 | no broker answers",
        "amqp://guest:{secret}@one,amqp://guest:{secret}2@two | are not nodes of one broker",
        "amqp://guest:{secret}@ho st            | is not an AMQP address",
        "http://guest:{secret}@127.0.0.1        | is not an AMQP address",
        "{secret}                               | is not an AMQP address",
      })
  void a_broker_that_is_not_to_be_had(String address, String words) throws Exception {
    String broker =
        address
            .replace("{secret}", BROKER_SECRET)
            .replace("{port}", port(SharedNodes.of(SharedNodes.NEWEST)));
    ServerProcess.Result inVariable =
        new ServerProcess(folder, ALL_LOGS, Map.of("POCKETWATCH_BROKER", broker))
            .run("repair", "--config", empty().toString());
    ServerProcess.Result asOption =
        new ServerProcess(folder, ALL_LOGS, Map.of())
            .run("repair", "--config", empty().toString(), "--broker", broker);

    for (ServerProcess.Result each : List.of(inVariable, asOption)) {
      assertThat(each.exitCode()).as(each.output()).isNotZero();
      assertTold(each.output(), words);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "url: 'jdbc:postgresql://127.0.0.1:1/db?user=a&password={secret}' | cannot be reached",
        "url: 'jdbc:postgresql://127.0.0.1:x/db?user=a&password={secret}' | no driver knows",
        "url: 'jdbc:mariadb://127.0.0.1:1/db?user=a&password={secret}'    | cannot be reached",
        "url: 'jdbc:h2:mem:a;PASSWORD={secret};NONSENSE=1'                | cannot be reached",
        "url: 'jdbc:h2:tcp://127.0.0.1:1/a;PASSWORD={secret}'             | cannot be reached",
        "url: 'jdbc:h2:;PASSWORD={secret}'                                | pocketwatch: ",
        "url: 'jdbc:h2:{folder}/other', user: me, password: {secret}      | cannot be reached",
        "url: 'postgres://me:{secret}@host/db'                            | is no JDBC URL",
        "url: 'jdbc:h2:mem:a', pasword: {secret}                          | unknown key",
        "url: 'jdbc:h2:mem:a', password: [{secret}]                       | is not a text",
        "url: 'jdbc:h2:mem:a', password: 's{secret}                       | is not YAML",
        "url: 'jdbc:h2:mem:a', password: \"{secret}\\q\"                  | is not YAML",
        "url: 'jdbc:h2:mem:a', password: *{secret}                        | alias",
        "url: 'jdbc:h2:mem:a', password: @{secret}                        | is not YAML",
        "url: 'jdbc:h2:mem:a', password: %{secret}                        | is not YAML",
        "url: 'jdbc:h2:mem:a', password: {secret}: x                      | is not YAML",
        "url: 'jdbc:h2:mem:a', password: {secret}, password: {secret}     | is there twice",
      },
      quoteCharacter = '`')
  void a_store_that_is_not_to_be_had(String store, String words) throws Exception {
    // Of another password.
    String other = "jdbc:h2:" + folder.resolve("other");
    ServerProcess plain = new ServerProcess(folder, List.of(), Map.of());
    if (store.contains("{folder}")) {
      Path sound =
          Files.writeString(
              folder.resolve("sound.yml"),
              "pocketwatch: {store: {url: '" + other + "', user: me, password: good}}\n");
      assertThat(plain.run("schema", "--create", "--config", sound.toString()).exitCode()).isZero();
    }
    String yaml = store.replace("{secret}", STORE_SECRET).replace("{folder}", folder.toString());
    Path file =
        Files.writeString(folder.resolve("p.yml"), "pocketwatch: {store: {" + yaml + "}}\n");

    ServerProcess.Result result =
        new ServerProcess(folder, ALL_LOGS, Map.of()).run("list", "--config", file.toString());

    assertThat(result.exitCode()).as(result.output()).isNotZero();
    assertTold(result.output(), words);
  }

  @Test
  void the_library_at_work_and_in_trouble() throws Exception {
    BrokerNode node = SharedNodes.of(SharedNodes.NEWEST);
    ConnectionFactory wrong = node.connectionFactory();
    wrong.setPassword(BROKER_SECRET);
    Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    Level before = root.getLevel();
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    root.addAppender(logged);
    root.setLevel(Level.TRACE);
    StringWriter told = new StringWriter();
    try (World world = new World(node, "secrets")) {
      String target = world.queue("secrets.target");
      catchThrowable(() -> DelayedPublisher.builder(wrong).build())
          .printStackTrace(new PrintWriter(told, true));
      DelayedPublisher publisher = world.publisher();
      told.append(
          Futures.get(
                  publisher.publish(
                      DelayedMessage.toQueue(target)
                          .header("token", STORE_SECRET)
                          .body(STORE_SECRET)
                          .delay(Duration.ofMillis(300))))
              .toString());
      world.inbox(target).awaitOne();
      told.append(publisher.toString());
      told.append(
          String.valueOf(
              catchThrowable(
                  () ->
                      publisher
                          .publish(
                              DelayedMessage.to("secrets.nowhere", "key")
                                  .body(STORE_SECRET)
                                  .delay(Duration.ofMillis(300)))
                          .join())));
    } finally {
      root.setLevel(before);
      root.detachAppender(logged);
    }
    told.append(
        List.copyOf(logged.list).stream()
            .map(event -> event.getFormattedMessage())
            .collect(Collectors.joining("\n")));

    assertTold(told.toString(), "ACCESS_REFUSED");
  }

  private static void assertTold(String text, String words) {
    assertThat(text).contains(words);
    for (String secret : List.of(BROKER_SECRET, STORE_SECRET)) {
      byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
      byte[] plain = ("\0" + USER + "\0" + secret).getBytes(StandardCharsets.UTF_8);
      assertThat(text)
          .doesNotContain(
              secret,
              Base64.getEncoder().withoutPadding().encodeToString(bytes),
              Base64.getEncoder().withoutPadding().encodeToString(plain),
              "\0" + USER);
    }
  }

  private Map<String, String> secretsInFiles(BrokerNode node) throws IOException {
    Path broker =
        Files.writeString(
            folder.resolve("broker"),
            "amqp://%s:%s@127.0.0.1:%s\n".formatted(USER, BROKER_SECRET, port(node)));
    Path store = Files.writeString(folder.resolve("store-password"), STORE_SECRET + "\n");
    return Map.of(
        "POCKETWATCH_BROKER_FILE", broker.toString(),
        "POCKETWATCH_STORE_PASSWORD_FILE", store.toString());
  }

  private Path configuration(int port) throws IOException {
    page = URI.create("http://127.0.0.1:" + port);
    return Files.writeString(
        folder.resolve("secrets.yml"),
        """
        pocketwatch:
          name-prefix: secrets-serve
          wheel: { max-delay: 90s, hands: [10s, 1s, 100ms, 10ms] }
          store: { url: 'jdbc:h2:%s', user: app }
          server: { port: %s }
        """
            .formatted(folder.resolve("store"), port));
  }

  private HttpResponse<String> get(String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(page.resolve(path)).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  private Path empty() throws IOException {
    return Files.writeString(folder.resolve("empty.yml"), "pocketwatch: {}\n");
  }

  private static String port(BrokerNode node) {
    return Integer.toString(node.amqpUri().getPort());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
