// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.server.api.RestApi;
import io.pocketwatch.server.broker.BrokerAddresses;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.callback.Callbacks;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.console.Console;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.DelayStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What {@code serve} runs, in this JVM, on a free port. */
public final class RunningServer implements AutoCloseable {
  public static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final OpenStore open;
  private final Daemon daemon;
  private final Callbacks callbacks;
  private final Pages pages;

  private RunningServer(OpenStore open, Daemon daemon, Callbacks callbacks, Pages pages) {
    this.callbacks = callbacks;
    this.open = open;
    this.daemon = daemon;
    this.pages = pages;
  }

  /**
   * Makes the tables, and starts.
   *
   * @param folder for the configuration file
   * @param sections of the configuration, below {@code pocketwatch}, without store and port
   */
  public static RunningServer start(
      Path folder, String sections, String jdbcUrl, URI broker, Map<String, String> environment)
      throws IOException {
    return start(folder, sections, jdbcUrl, broker, environment, 0);
  }

  /**
   * Where another listened before.
   *
   * @param port 0 for any free one
   */
  public static RunningServer start(
      Path folder,
      String sections,
      String jdbcUrl,
      URI broker,
      Map<String, String> environment,
      int port)
      throws IOException {
    Path file = folder.resolve("pocketwatch.yml");
    Files.writeString(
        file, "pocketwatch:\n" + sections.indent(2) + "  store: {url: '" + jdbcUrl + "'}\n");
    ConfigurationFile configuration = ConfigurationFile.loadAll(file, false);
    OpenStore open = OpenStore.create(configuration.requireStore());
    Daemon daemon =
        Daemon.start(
            configuration,
            new FileWatch(file),
            NamedBroker.require(BrokerAddresses.parse(broker.toString()), line -> {}),
            open.store());
    ServerSettings given = configuration.server();
    ServerSettings settings =
        new ServerSettings(
            given.name(),
            given.address(),
            port,
            true,
            given.credentials(),
            given.configuredOnly(),
            given.limits(),
            given.callbacks());
    Callbacks callbacks = daemon.callBack(settings.callbacks(), environment);
    List<HttpPart> parts =
        List.of(new RestApi(daemon, callbacks::views, settings, environment), new Console());
    return new RunningServer(
        open, daemon, callbacks, Pages.open(settings, daemon::health, daemon::metrics, parts));
  }

  public String url() {
    return pages.url();
  }

  /** What waits for a person in queues is counted now, not within a quarter of a minute. */
  public void lookAtDeadLetters() {
    daemon.lookAtDeadLetters();
  }

  public DelayStore store() {
    return open.store();
  }

  public HttpResponse<String> get(String path) {
    return send(request(path).GET());
  }

  public HttpResponse<String> post(String path, String json) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json)));
  }

  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url() + path));
  }

  public HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** The body of an answer, which has to be of this status. */
  public static JsonNode json(HttpResponse<String> answer, int status) throws IOException {
    if (answer.statusCode() != status) {
      throw new AssertionError(
          "status %s, not %s: %s".formatted(answer.statusCode(), status, answer.body()));
    }
    return JSON.readTree(answer.body());
  }

  @Override
  public void close() {
    pages.close();
    callbacks.close();
    daemon.close();
    open.close();
  }
}
