// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.server.api.RestApi;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.callback.Callbacks;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.console.Console;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.serve.Daemon;
import io.pocketwatch.server.serve.FileWatch;
import io.pocketwatch.server.serve.Pages;
import io.pocketwatch.server.store.OpenStore;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the server: loader, schedules, callbacks and HTTP. */
@Command(
    name = "serve",
    description = {
      "Runs a loader until it is stopped.",
      "It hands stored messages to the broker in time, sends again what the broker lost, fires"
          + " schedules, and tidies up. Any number may run beside each other.",
      "Answers http://127.0.0.1:8177/ (the console), /health (200, or 503 with the reasons),"
          + " /metrics (Prometheus) and /api/v1. Address and port are in the section 'server' of"
          + " the configuration.",
      "A change of the configuration file counts at once if it is valid; otherwise it is"
          + " reported and the old one stays. On SIGTERM or Ctrl-C it finishes what was sent,"
          + " gives back what"
          + " was only claimed, and ends.",
      ""
    },
    footer = {
      "",
      "  pocketwatch serve --config FILE --broker amqp://user:password@host:5672/vhost"
    })
public final class ServeCommand implements Callable<Integer> {
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;
  @Mixin private BrokerOption brokerOption;

  @Override
  public Integer call() throws InterruptedException {
    ConfigurationFile first = config.load();
    FileWatch fileWatch = new FileWatch(first.file());
    ConfigurationFile configuration = ConfigurationFile.loadAll(first.file(), true);
    StoreSettings settings = configuration.requireStore();
    ServerSettings server = configuration.server();
    Pages.requireFree(server);
    Logger log = LoggerFactory.getLogger("serve");
    try (GracefulExit exit = new GracefulExit()) {
      NamedBroker broker = brokerOption.named(log::info);
      try (OpenStore open = OpenStore.connect(settings);
          Daemon daemon = Daemon.start(configuration, fileWatch, broker, open.store())) {
        log.info("Configuration: {}", configuration.file());
        daemon.describe().forEach(log::info);
        try (Callbacks callbacks = daemon.callBack(server.callbacks(), System.getenv());
            Pages pages =
                Pages.open(
                    server, daemon::health, daemon::metrics, parts(daemon, server, callbacks))) {
          log.info("Serving: {}/health and {}/metrics", pages.url(), pages.url());
          callbacks.describe().forEach(log::info);
          if (server.api()) {
            log.info("Console: {}/", pages.url());
            log.info(
                "REST: {}/api/v1, described by {}/api/v1/openapi.yaml", pages.url(), pages.url());
          }
          exit.await();
          log.info(
              "Stopping after {} loaded messages: what was sent is finished, what was only claimed"
                  + " is given back",
              daemon.loaded());
        }
      }
      log.info("Stopped; whatever is not on the broker waits in the store");
    }
    return ExitCodes.DONE;
  }

  private static List<HttpPart> parts(Daemon daemon, ServerSettings server, Callbacks callbacks) {
    return server.api()
        ? List.of(new RestApi(daemon, callbacks::views, server, System.getenv()), new Console())
        : List.of();
  }

  /** To be called before the first logger is made: then logback reads these. */
  public static void logForADaemon() {
    System.setProperty("POCKETWATCH_OWN_LOG_LEVEL", "INFO");
    System.setProperty("POCKETWATCH_LOG_TIME", "yyyy-MM-dd'T'HH:mm:ssXXX");
  }
}
