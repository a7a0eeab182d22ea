// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.kept;

import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.BrokerOption;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.config.ConfigOption;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
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
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;
  @Mixin private BrokerOption brokerOption;
  @ArgGroup private @Nullable KeptOptions change;

  @Override
  public Integer call() {
    Screen screen = Screen.of(spec.commandLine());
    Names names = new Names(config.load().routes().hold().namePrefix());
    NamedBroker broker = brokerOption.named(screen::say);
    boolean none =
        KeptOptions.each(
                broker,
                names,
                List.of(KeptQueue.unroutable(names)),
                (messages, queue) -> {
                  if (change != null) {
                    return change.change(messages, queue, screen);
                  }
                  long count = messages.count();
                  screen.result(KeptOptions.line(count, queue));
                  return count == 0;
                })
            .get(0);
    return none ? ExitCodes.DONE : ExitCodes.FAILED;
  }
}
