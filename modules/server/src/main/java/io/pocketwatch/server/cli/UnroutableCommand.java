// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.deadletter.DeadLetter;
import io.pocketwatch.server.deadletter.DeadLetterQueue;
import io.pocketwatch.server.deadletter.DeadLetters;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows messages that found no target, sends them again or deletes them. */
@Command(
    name = "unroutable",
    description = {
      "Lists the messages that came due for a target that was gone, each with the reason, and"
          + " counts them. They wait in the queue pocketwatch.unroutable.",
      "With --send they are sent there again, at once.",
      "A message leaves that queue once a queue of its target has it. Of a message with tracking"
          + " 'full' a loader may have sent another copy meanwhile; the delivery guard skips one.",
      "What is not due yet stays, and so does a copy that federation made of a message on its way."
          + " The reason is named.",
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
  private static final int SHOWN = 100;

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;
  @Mixin private BrokerOption brokerOption;
  @ArgGroup private @Nullable DeadLetterOptions change;

  @Option(names = "--json", description = "Print one JSON object in place of the table.")
  private boolean json;

  @Override
  public Integer call() {
    if (json && change != null) {
      throw new ParameterException(
          spec.commandLine(), "--json is for the list, without --send and --delete");
    }
    Screen screen = Screen.of(spec.commandLine());
    DelayRoutes routes = config.load().routes();
    Names names = new Names(routes.hold().namePrefix());
    NamedBroker broker = brokerOption.named(json ? screen::detail : screen::say);
    boolean none =
        DeadLetterOptions.each(
                broker,
                names,
                List.of(DeadLetterQueue.unroutable(names)),
                (messages, queue) ->
                    change == null
                        ? list(messages, queue, routes, screen)
                        : change.change(messages, queue, screen).left().isEmpty())
            .get(0);
    return none ? ExitCodes.DONE : ExitCodes.FAILED;
  }

  private boolean list(
      DeadLetters messages, DeadLetterQueue queue, DelayRoutes routes, Screen screen)
      throws IOException {
    long count = messages.count();
    List<DeadLetter> first = count == 0 ? List.of() : messages.first(SHOWN, routes);
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("queue", queue.name());
      object.put("count", count);
      object.put("messages", first);
      screen.result(Json.line(object));
    } else {
      if (!first.isEmpty()) {
        DeadLetterTable.of(first).forEach(screen::result);
      }
      screen.result(DeadLetterOptions.line(count, queue));
    }
    return count == 0;
  }
}
