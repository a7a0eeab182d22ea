// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.JavalinConfig;
import io.javalin.config.RoutesConfig;
import io.javalin.http.HandlerType;
import io.pocketwatch.server.access.Access;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.access.RateLimits;
import io.pocketwatch.server.background.Background;
import io.pocketwatch.server.config.HttpLimits;
import io.pocketwatch.server.config.Role;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.http.AnswerMemory;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.BrokerThreads;
import io.pocketwatch.server.http.ConcurrencyLimit;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.request.Bodies;
import io.pocketwatch.server.view.CallbackView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Request;

/** All paths of {@code /api/v1}. */
public final class RestApi implements HttpPart {
  private static final Duration LOOK_FOR_STEPS = Duration.ofSeconds(2);
  private static final Duration COUNTS_FOR = Duration.ofSeconds(5);

  private final Backend backend;
  private final ServerSettings settings;
  private final Supplier<List<CallbackView>> callbacks;
  private final Access access;
  private final CountWatch counts;
  private final Series series;
  private final StatusPage status;
  private final Events events;
  private final ChangeLog changes;

  /** A thread for each task: while the store hangs the events must go on. */
  private final Background background = new Background("pocketwatch-http-background", 4);

  private final BrokerThreads asking = new BrokerThreads();

  /**
   * @param callbacks the state of callbacks for each route that has them
   * @param environment variables that may name secrets
   * @throws io.pocketwatch.screen.CommandFailedException if a secret is missing
   */
  public RestApi(
      Backend backend,
      Supplier<List<CallbackView>> callbacks,
      ServerSettings settings,
      Map<String, String> environment) {
    this.backend = backend;
    this.settings = settings;
    this.callbacks = callbacks;
    this.access = new Access(settings, Role.WRITE, environment, backend.meters());
    this.changes = new ChangeLog(backend);
    this.counts = new CountWatch(backend);
    this.series = new Series(backend);
    this.status = new StatusPage(backend, counts, series);
    this.events = new Events(status::json, settings.limits().eventStreams());
  }

  @Override
  public void addTo(JavalinConfig config) {
    RoutesConfig routes = config.routes;
    routes.before(
        REST + "/*",
        context -> {
          if (context.method().equals(HandlerType.HEAD)) {
            throw Problem.of(ProblemType.METHOD_NOT_ALLOWED, "HEAD is not answered here")
                .header("Allow", "GET");
          }
          access.check(context);
        });
    Description.addTo(routes);
    HttpLimits limits = settings.limits();
    boolean configuredOnly = settings.configuredOnly();
    AnswerMemory memory = new AnswerMemory();
    MessageReader reader = new MessageReader(backend, memory);
    ConcurrencyLimit counting = new ConcurrencyLimit(COUNTS_FOR, "counts");
    Bodies bodies = new Bodies(limits.requestSize(), limits.batch());
    RateLimits rates = new RateLimits(limits.schedules());
    new SubmitResource(backend, reader, bodies, rates, configuredOnly).addTo(routes);
    new ScheduleResource(backend, bodies, rates, configuredOnly, changes).addTo(routes);
    new MessageListResource(backend, counts, memory).addTo(routes);
    new BulkChangeResource(backend, bodies, counting, changes).addTo(routes);
    new MessageResource(backend, reader, bodies, changes).addTo(routes);
    HoldQueueResource holds = new HoldQueueResource(backend, asking, true);
    DeadLetterResource deadLetters =
        new DeadLetterResource(backend, asking, holds, settings.callbacks(), changes);
    Overview overview = new Overview(backend, counts, deadLetters::parked);
    overview.addTo(routes);
    HistoryResource history = new HistoryResource(backend);
    new RouteResource(
            backend,
            new RouteResource.Sources(counts, history, deadLetters, overview::reasons),
            settings.callbacks(),
            callbacks,
            asking)
        .addTo(routes);
    routes.get(
        REST + "/callbacks",
        context -> {
          Caller caller = Caller.of(context);
          List<CallbackView> seen =
              callbacks.get().stream().filter(each -> caller.sees(each.route())).toList();
          Answers.json(context, 200, Map.of("callbacks", seen));
        });
    new DueCounts(backend, counts, memory, counting).addTo(routes);
    new LoaderList(backend, memory).addTo(routes);
    holds.addTo(routes);
    deadLetters.addTo(routes);
    series.addTo(routes);
    history.addTo(routes);
    changes.addTo(routes);
    status.addTo(routes);
    events.addTo(routes);
    background.every(CountWatch.EVERY, counts);
    background.every(ChangeLog.EVERY, changes);
    background.every(LOOK_FOR_STEPS, series);
    background.every(Events.EVERY, events);
  }

  @Override
  public boolean reads(Request request) {
    return Request.getPathInContext(request).startsWith(REST + "/") && access.admits(request);
  }

  @Override
  public void endStreams() {
    events.close();
  }

  @Override
  public void close() {
    background.close();
    asking.close();
    changes.end();
  }
}
