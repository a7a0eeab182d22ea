// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import com.rabbitmq.client.Connection;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.PublisherStatus;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.schedule.ScheduleException;
import io.pocketwatch.schedule.ScheduleGauges;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.server.api.Backend;
import io.pocketwatch.server.background.Background;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.callback.Callbacks;
import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.tracking.TrackedPublisher;
import io.pocketwatch.tracking.metrics.StoreGauges;
import io.pocketwatch.tracking.metrics.TrackingMetrics;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs an engine, and replaces it when the configuration file changes. */
public final class Daemon implements AutoCloseable, Backend {
  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final Duration LOOK_AT_FILE = Duration.ofSeconds(1);
  private static final Duration COUNT = Duration.ofSeconds(15);
  private static final Duration TRY_AGAIN = Duration.ofSeconds(10);

  /** The meters of one set of routes, which are removed with it. */
  private static final Set<String> OF_ROUTES =
      Set.of(
          "pocketwatch.pending",
          "pocketwatch.held",
          "pocketwatch.parked.now",
          "pocketwatch.overdue.messages",
          "pocketwatch.overdue.oldest",
          "pocketwatch.loader.heartbeat.age");

  private final NamedBroker broker;
  private final DelayStore store;
  private final FileWatch fileWatch;
  private final StoreWatch storeWatch;
  private final HoldWatch holdWatch;
  private final DeadLetterWatch deadLetterWatch;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final TrackingMetrics metrics = new TrackingMetrics(registry);
  private final Background background = new Background("pocketwatch-serve", 6);
  private final String name;
  private ConfigurationFile configuration;
  private volatile Engine engine;
  private volatile StoreGauges gauges;
  private volatile ScheduleGauges scheduleGauges;
  private volatile @Nullable String fileProblem;
  private volatile Supplier<List<Notice>> waitingCallbacks = List::of;
  private @Nullable Instant tryAgain;
  private boolean closed;

  private Daemon(
      ConfigurationFile configuration, FileWatch fileWatch, NamedBroker broker, DelayStore store) {
    this.configuration = configuration;
    this.name = configuration.server().name();
    this.fileWatch = fileWatch;
    this.broker = broker;
    this.store = store;
    this.storeWatch = new StoreWatch(store);
    this.engine = Engine.prepare(broker, store, configuration, metrics);
    this.gauges = bound(configuration.routes());
    this.scheduleGauges = boundSchedules(engine);
    this.holdWatch = new HoldWatch(broker, () -> engine.routes(), metrics);
    this.deadLetterWatch =
        new DeadLetterWatch(broker, () -> engine.routes(), configuration.server().callbacks());
    deadLetterWatch.bindTo(registry);
    new HealthGauges(this::health).bindTo(registry);
  }

  /**
   * Connects and begins to load.
   *
   * @param fileWatch began to look at the file before it was read
   */
  public static Daemon start(
      ConfigurationFile configuration, FileWatch fileWatch, NamedBroker broker, DelayStore store) {
    Daemon daemon = new Daemon(configuration, fileWatch, broker, store);
    try {
      ConfiguredSchedules.apply(daemon.engine, daemon.name, false);
      daemon.engine.start();
    } catch (RuntimeException | Error e) {
      daemon.close();
      throw e;
    }
    daemon.background.every(StoreWatch.EVERY, daemon.storeWatch);
    daemon.background.every(HoldWatch.EVERY, daemon.holdWatch);
    daemon.background.every(DeadLetterWatch.EVERY, daemon.deadLetterWatch);
    daemon.background.every(COUNT, daemon::count);
    daemon.background.every(LOOK_AT_FILE, daemon::lookAtFile);
    return daemon;
  }

  /** Counts dead letters now, not only from time to time. */
  void lookAtDeadLetters() {
    deadLetterWatch.run();
  }

  private void count() {
    try {
      gauges.refresh();
      scheduleGauges.refresh();
    } catch (StoreException e) {
      LOG.debug("The counts keep their values", e);
    }
  }

  private StoreGauges bound(DelayRoutes routes) {
    StoreGauges fresh = new StoreGauges(store, routes);
    fresh.bindTo(registry);
    return fresh;
  }

  private ScheduleGauges boundSchedules(Engine of) {
    ScheduleGauges fresh = new ScheduleGauges(of.schedules());
    fresh.bindTo(registry);
    return fresh;
  }

  private synchronized void lookAtFile() {
    boolean changed = fileWatch.changed();
    boolean due = tryAgain != null && !Instant.now().isBefore(tryAgain);
    if (closed || !changed && !due) {
      return;
    }
    tryAgain = null;
    try {
      ConfigurationFile fresh = ConfigurationFile.loadAll(configuration.file(), false);
      replace(fresh, changed);
      fileProblem = null;
    } catch (InvalidConfigurationException
        | CommandFailedException
        | ScheduleException
        | InvalidMessageException e) {
      fileProblem = ErrorWords.of(e);
      LOG.error("The changed configuration is not used, the old one stays: {}", ErrorWords.of(e));
    } catch (PocketwatchException | IllegalStateException e) {
      fileProblem = ErrorWords.of(e);
      tryAgain = Instant.now().plus(TRY_AGAIN);
      if (changed) {
        LOG.error(
            "The changed configuration cannot be used yet, the old one stays; trying again every"
                + " {} s: {}",
            TRY_AGAIN.toSeconds(),
            ErrorWords.of(e));
      }
    }
  }

  /** The new engine is ready before the old one ends, so that a refusal changes nothing. */
  private void replace(ConfigurationFile fresh, boolean sayWhatStays) {
    if (sayWhatStays
        && (!fresh.store().equals(configuration.store())
            || !fresh.server().equals(configuration.server()))) {
      LOG.warn("Changes to the sections 'store' and 'server' count from the next start");
    }
    Engine next = Engine.prepare(broker, store, fresh, metrics);
    Engine old = engine;
    try {
      ConfiguredSchedules.apply(next, name, old.ownsSchedules());
    } catch (RuntimeException | Error e) {
      next.close();
      throw e;
    }
    LOG.info("The configuration has changed: the loader ends, and goes on with the new routes");
    old.stop();
    engine = next;
    next.start();
    old.publisher().close();
    scheduleGauges.unbind();
    scheduleGauges = boundSchedules(next);
    registry.getMeters().stream()
        .filter(meter -> OF_ROUTES.contains(meter.getId().getName()))
        .toList()
        .forEach(registry::remove);
    gauges = bound(fresh.routes());
    configuration = fresh;
    background.soon(this::count);
    RouteLines.of(fresh.routes()).forEach(LOG::info);
  }

  @Override
  public Health health() {
    Engine now = engine;
    PublisherStatus status = now.publisher().status();
    return new Health(
        status.connectionError(),
        status.brokerVersion(),
        storeWatch.describe(),
        storeWatch.look(),
        now.loader().state(),
        now.loaderWatch().age(),
        now.loaderWatch().problem(),
        holdWatch.look(),
        deadLetterWatch.look(),
        status.nativeHold(),
        waitingCallbacks.get(),
        now.runner().state(),
        scheduleGauges.late(),
        fileProblem);
  }

  /** Starts callbacks; the caller closes them before this daemon. */
  public Callbacks callBack(List<CallbackSettings> settings, Map<String, String> environment) {
    Callbacks callbacks = Callbacks.start(this, settings, environment, metrics);
    waitingCallbacks = callbacks::waiting;
    return callbacks;
  }

  @Override
  public DelayRoutes routes() {
    return engine.routes();
  }

  @Override
  public TrackedPublisher publisher() {
    return engine.publisher();
  }

  @Override
  public DelayStore store() {
    return store;
  }

  @Override
  public Map<String, String> place() {
    Map<String, String> place = new TreeMap<>(broker.place());
    if (!name.equals(ServerSettings.USUAL_NAME)) {
      place.put("name", name);
    }
    return place;
  }

  @Override
  public Connection connect(String name) throws IOException, TimeoutException {
    return broker.connectTolerantly(name);
  }

  @Override
  public Silence silence() {
    return new Silence(deadLetterWatch.silent(), storeWatch.silent());
  }

  @Override
  public MeterRegistry meters() {
    return registry;
  }

  public String metrics() {
    return registry.scrape();
  }

  /** Describes the daemon, for the log of the start. */
  public List<String> describe() {
    List<String> lines = new ArrayList<>();
    lines.add("Broker: RabbitMQ " + engine.publisher().status().brokerVersion());
    lines.add("Store: " + store.describe());
    lines.addAll(RouteLines.of(engine.routes()));
    if (engine.ownsSchedules()) {
      lines.add(ConfiguredSchedules.describe(engine));
    }
    return lines;
  }

  /** Waits for messages in flight, gives back rows that are only claimed, and disconnects. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    background.close();
    deadLetterWatch.close();
    engine.close();
    registry.close();
  }

  /** Messages loaded by the present engine. */
  public long loaded() {
    return engine.loader().state().loaded();
  }
}
