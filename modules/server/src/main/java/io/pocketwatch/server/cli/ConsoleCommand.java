// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.api.BrokerApi;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.config.Role;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.console.Console;
import io.pocketwatch.server.serve.Pages;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The console on a broker, without a store. */
@Command(
    name = "console",
    description = {
      "Opens the console on a broker.",
      "It shows what the hold queues hold, what came due for a target that was gone, and which"
          + " strategies are set up. It needs no store and no configuration, loads nothing and"
          + " declares nothing. 'serve' has the whole console.",
      "It listens on 127.0.0.1 only, on a free port unless --port names one, and prints its"
          + " address. Ctrl-C ends it.",
      ""
    },
    footer = {"", "  pocketwatch console --broker amqp://user:password@host:5672/vhost"})
public final class ConsoleCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private BrokerOption brokerOption;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "A configuration whose name-prefix, wheel and delays to look for; default the usual"
              + " ones.")
  private @Nullable Path file;

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "0",
      description = "The port; default 0, any free one.")
  private int port;

  @Option(
      names = "--write",
      description = "Also send again what found no target. Without it nothing can be changed.")
  private boolean write;

  @Override
  public Integer call() throws InterruptedException {
    if (port < 0 || port > ServerSettings.MOST_PORT) {
      throw new ParameterException(
          spec.commandLine(),
          "--port %s; allowed: 0 to %s".formatted(port, ServerSettings.MOST_PORT));
    }
    DelayRoutes routes = file == null ? usual() : ConfigurationFile.load(file).routes();
    Screen screen = Screen.of(spec.commandLine());
    try (GracefulExit exit = new GracefulExit()) {
      NamedBroker broker = brokerOption.named(screen::say);
      try (Pages pages = open(broker, routes, port, write ? Role.WRITE : Role.READ)) {
        screen.say("The console of " + broker + "; Ctrl-C ends it:");
        screen.result(pages.url() + "/");
        exit.await();
      }
    }
    return ExitCodes.DONE;
  }

  /** The default routes, with RabbitMQ's own delay, whose queues are looked for like the others. */
  public static DelayRoutes usual() {
    return DelayRoutes.builder()
        .hold(HoldOptions.builder().nativeMode(NativeMode.AUTO).build())
        .build();
  }

  public static Pages open(NamedBroker broker, DelayRoutes routes, int port, Role role) {
    ServerSettings settings = ServerSettings.usual(port);
    Pages.requireFree(settings);
    return Pages.open(
        settings, List.of(new BrokerApi(broker, routes, settings, role), new Console()));
  }
}
