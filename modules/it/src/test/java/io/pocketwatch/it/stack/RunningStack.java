// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.stack;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;

/** The stack of {@code compose.yml} under a name and on ports of its own, gone in the end. */
final class RunningStack implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(10);
  private static final int FIRST_PORT = 26_000;
  private static final int PORTS = 4;
  private static final String SECRET = "not-the-default";

  private final String name = "pocketwatch-it-" + ProcessHandle.current().pid();
  private final List<Integer> ports = freePorts();
  private final Docker docker =
      new Docker(
          Map.of(
              "AMQP_PORT",
              ports.get(0).toString(),
              "MANAGEMENT_PORT",
              ports.get(1).toString(),
              "POSTGRES_PORT",
              ports.get(2).toString(),
              "POCKETWATCH_PORT",
              ports.get(3).toString(),
              "RABBITMQ_PASSWORD",
              SECRET,
              "POSTGRES_PASSWORD",
              SECRET,
              "POCKETWATCH_API_PASSWORD",
              SECRET,
              "POCKETWATCH_IMAGE",
              name + ":it"));

  RunningStack() throws IOException {}

  /** The command of the README. */
  Docker.Result up() throws IOException {
    return compose(START, "up", "--build", "--wait");
  }

  Docker.Result compose(Duration patience, String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of("compose", "-p", name, "-f"));
    line.add(ComposeFile.FOLDER.resolve("compose.yml").toString());
    line.addAll(List.of(arguments));
    return docker.run(patience, line.toArray(String[]::new));
  }

  ConnectionFactory broker() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri("amqp://pocketwatch:%s@127.0.0.1:%s".formatted(SECRET, ports.get(0)));
    return factory;
  }

  PGSimpleDataSource database() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl("jdbc:postgresql://127.0.0.1:%s/pocketwatch".formatted(ports.get(2)));
    dataSource.setUser("pocketwatch");
    dataSource.setPassword(SECRET);
    return dataSource;
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return HttpClient.newHttpClient().send(request(path).build(), BodyHandlers.ofString());
  }

  /** As the user of the console and the API. */
  HttpResponse<String> getAsUser(String path) throws IOException, InterruptedException {
    byte[] user = ("pocketwatch:" + SECRET).getBytes(StandardCharsets.UTF_8);
    HttpRequest request =
        request(path)
            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(user))
            .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    URI uri = URI.create("http://127.0.0.1:%s%s".formatted(ports.get(3), path));
    return HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20));
  }

  /** What the services have written. */
  String logs() throws IOException {
    return compose(Duration.ofMinutes(1), "logs", "--no-color").output();
  }

  static String secret() {
    return SECRET;
  }

  @Override
  public void close() throws IOException {
    compose(Duration.ofMinutes(5), "down", "-v", "--remove-orphans");
    docker.run(Duration.ofMinutes(1), "image", "rm", name + ":it", name + ":it-lab");
  }

  private static List<Integer> freePorts() throws IOException {
    List<Integer> free = new ArrayList<>();
    for (int candidate = FIRST_PORT; free.size() < PORTS; candidate++) {
      if (candidate == FIRST_PORT + 1_000) {
        throw new IOException("no " + PORTS + " free ports from " + FIRST_PORT);
      }
      try (ServerSocket socket = new ServerSocket(candidate)) {
        free.add(socket.getLocalPort());
      } catch (IOException e) {
        // taken
      }
    }
    return free;
  }
}
