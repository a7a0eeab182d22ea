// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.rabbitmq.client.Connection;
import io.javalin.config.JavalinConfig;
import io.javalin.config.RoutesConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.pocketwatch.NativeHold;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.server.access.Access;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.background.Background;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.config.Role;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.BrokerThreads;
import io.pocketwatch.server.http.HttpPart;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The part of {@code /api/v1} that needs no store: the queues of a broker. Declares nothing. */
public final class BrokerApi implements HttpPart, BrokerSide {
  private final NamedBroker broker;
  private final DelayRoutes routes;
  private final Access access;
  private final Events events;
  private final Background background = new Background("pocketwatch-http-background", 1);
  private final BrokerThreads asking = new BrokerThreads();
  private volatile boolean connected = true; // it answered when it was named

  /**
   * @param routes names and sizes of the queues to look for
   * @param settings on loopback, without credentials
   * @param role the role of anybody on this machine
   */
  public BrokerApi(NamedBroker broker, DelayRoutes routes, ServerSettings settings, Role role) {
    this.broker = broker;
    this.routes = routes;
    this.access = new Access(settings, role, Map.of(), new SimpleMeterRegistry());
    this.events = new Events(caller -> status(), settings.limits().eventStreams());
  }

  @Override
  public void addTo(JavalinConfig config) {
    RoutesConfig paths = config.routes;
    paths.before(HttpPart.REST + "/*", access::check);
    Description.addTo(paths);
    paths.get(
        HttpPart.REST + "/session",
        context -> Answers.json(context, 200, Caller.of(context).session(false, place())));
    paths.get(HttpPart.REST + "/status", context -> Answers.json(context, 200, status()));
    HoldQueueResource holds = new HoldQueueResource(this, asking, false);
    holds.addTo(paths);
    new DeadLetterResource(this, asking, holds, List.of(), null).addTo(paths);
    events.addTo(paths);
    background.every(Events.EVERY, events);
  }

  private Map<String, @Nullable Object> status() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("at", Instant.now());
    json.put("up", connected);
    json.put("problems", List.of());
    json.put("warnings", List.of());
    json.put("overdue", null);
    json.put("broker", Map.of("connected", connected, "version", broker.version()));
    json.put("store", null);
    json.put("loader", null);
    return json;
  }

  @Override
  public DelayRoutes routes() {
    return routes;
  }

  @Override
  public Connection connect(String name) throws IOException, TimeoutException {
    try {
      Connection connection = broker.connectTolerantly(name);
      connected = true;
      return connection;
    } catch (IOException | TimeoutException e) {
      connected = false;
      throw e;
    }
  }

  @Override
  public Map<String, String> place() {
    return broker.place();
  }

  @Override
  public String brokerVersion() {
    return broker.version();
  }

  @Override
  public List<String> brokenHolds() {
    return List.of();
  }

  @Override
  public NativeHold nativeHold() {
    return NativeHold.NOT_ASKED;
  }

  @Override
  public void endStreams() {
    events.close();
  }

  @Override
  public void close() {
    background.close();
    asking.close();
  }
}
