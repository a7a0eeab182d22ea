// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.ManagementClient;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.cli.BrokerOption;
import io.pocketwatch.server.cli.ManagementAddress;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Recreates an exchange of the plugin without the plugin. */
@Command(
    name = "migrate-exchange",
    description = {
      "Recreates an exchange of the delayed-message plugin as one of its underlying type, with its"
          + " arguments and all bindings from and to it.",
      "Left over without the plugin, such an exchange can be neither declared nor published to."
          + " The definition is saved before the exchange is deleted; a run that was broken off is"
          + " ended by the same command.",
      "Until the last binding is there again, messages published to it are refused or match none.",
      ""
    },
    footer = {
      "",
      "  pocketwatch migrate-exchange orders --dry-run",
      "  pocketwatch migrate-exchange orders \\",
      "      --broker amqp://user:password@host:5672/vhost \\",
      "      --management http://user:password@host:15672"
    })
public final class MigrateExchangeCommand implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private BrokerOption brokerOption;

  @Parameters(index = "0", paramLabel = "NAME", description = "The exchange.")
  private String name = "";

  @Option(
      names = "--management",
      paramLabel = "URI",
      converter = ManagementAddress.class,
      description =
          "Its management API, which alone knows the bindings; default the broker's host, port"
              + " 15672, and the broker's user.")
  private @Nullable URI management;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "The type it gets; default what its argument x-delayed-type says.")
  private @Nullable String type;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "Where its definition is saved; default a file in the working folder.")
  private @Nullable Path file;

  @Option(names = "--dry-run", description = "Only print what would be done.")
  private boolean dryRun;

  @Option(
      names = "--yes",
      description =
          "Go on although messages that the plugin holds, or bindings that cannot be made again,"
              + " are lost.")
  private boolean yes;

  @Override
  public void run() {
    Screen screen = Screen.of(spec.commandLine());
    NamedBroker named = brokerOption.named(screen::say);
    ConnectionFactory broker = named.connectionFactory();
    URI api =
        management != null
            ? management
            : named.management().orElseGet(() -> ManagementClient.usual(broker));
    String virtualHost = broker.getVirtualHost();
    DefinitionFile saved =
        file != null ? new DefinitionFile(file) : DefinitionFile.of(virtualHost, name);
    MigrationPlan plan =
        MigrationPlan.make(
            new ManagementClient(api, broker),
            saved,
            new MigrationPlan.Wanted(virtualHost, name, type));
    plan.words().forEach(dryRun ? screen::result : screen::say);
    if (dryRun) {
      return;
    }
    Optional<String> objection = plan.objection();
    if (objection.isPresent() && !yes) {
      throw new CommandFailedException(ExitCodes.FAILED, objection.get());
    }
    int bindings = migrate(plan, broker, screen);
    screen.result(
        "Exchange '%s' is of type %s now, with %s. Its definition is kept in %s"
            .formatted(
                name, plan.definition().type(), Numbers.of(bindings, "binding"), saved.finish()));
  }

  private int migrate(MigrationPlan plan, ConnectionFactory broker, Screen screen) {
    try (AmqpSession session = new AmqpSession(broker)) {
      return new Migration(plan, session, screen).run(yes);
    } catch (IOException | TimeoutException | AlreadyClosedException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED, "--broker: " + ErrorWords.of(e) + ". Nothing was changed", e);
    }
  }
}
