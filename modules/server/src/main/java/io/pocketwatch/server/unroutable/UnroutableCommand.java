// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.unroutable;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.BrokerOption;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.broker.Refusal;
import io.pocketwatch.server.config.ConfigOption;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Another try for what found no target. */
@Command(
    name = "unroutable",
    description = {
      "Counts the messages that came due for a target that was gone, and wait in the queue"
          + " pocketwatch.unroutable.",
      "With --send they are sent there again, at once.",
      "A message leaves that queue once a queue of its target has it. Of a message with tracking"
          + " 'full' a loader may have sent another copy meanwhile; the delivery guard skips one.",
      ""
    },
    footer = {
      "",
      "  pocketwatch unroutable --broker amqp://user:password@host:5672/vhost",
      "  pocketwatch unroutable --send",
      "",
      "Exit code 0 if none waits in the end; else 1."
    })
public final class UnroutableCommand implements Callable<Integer> {
  private static final int CLOSE_MILLIS = 5_000;
  private static final int SAY_EVERY = 1_000;

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;
  @Mixin private BrokerOption brokerOption;

  @Option(names = "--send", description = "Send them to their targets.")
  private boolean send;

  @Override
  public Integer call() {
    Screen screen = Screen.of(spec.commandLine());
    Names names = new Names(config.load().routes().hold().namePrefix());
    NamedBroker broker = brokerOption.named(screen::say);
    try {
      return run(broker, names, screen) ? ExitCodes.DONE : ExitCodes.FAILED;
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "queue '%s' could not be gone through, what was not confirmed is still in it: %s"
              .formatted(names.unroutable(), Refusal.words(e)),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ExitCodes.FAILED;
    }
  }

  private boolean run(NamedBroker broker, Names names, Screen screen)
      throws IOException, TimeoutException, InterruptedException {
    Connection connection = broker.connectTolerantly("pocketwatch unroutable");
    try (Redelivery redelivery = new Redelivery(connection, names)) {
      long count = redelivery.count();
      if (!send || count == 0) {
        screen.result(
            "%s in queue '%s'".formatted(Numbers.of(count, "message"), names.unroutable()));
        return count == 0;
      }
      Redelivery.Result result =
          redelivery.send(
              count,
              seen -> {
                if (seen % SAY_EVERY == 0) {
                  screen.detail(
                      "%s of %s".formatted(Numbers.count(seen), Numbers.of(count, "message")));
                }
              });
      screen.result(Numbers.of(result.sent(), "message") + " sent to their targets");
      result
          .left()
          .forEach((why, left) -> screen.failure(Numbers.of(left, "message") + " left: " + why));
      return result.left().isEmpty();
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }
}
