// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/**
 * Does what a plan says. Everything that can be refused is tried before the exchange is deleted.
 * From then on the file holds what the next run needs to go on.
 */
final class Migration {
  private final MigrationPlan plan;
  private final ExchangeDefinition definition;
  private final AmqpSession session;
  private final Screen screen;

  Migration(MigrationPlan plan, AmqpSession session, Screen screen) {
    this.plan = plan;
    this.definition = plan.definition();
    this.session = session;
    this.screen = screen;
  }

  /**
   * Runs all steps.
   *
   * @param evenIncomplete whether bindings that cannot be made again are given up
   * @return how many bindings it has now
   */
  int run(boolean evenIncomplete) throws IOException, TimeoutException {
    if (!plan.resuming()) {
      rehearse(evenIncomplete);
      plan.file().write(definition);
      screen.say("Its definition is in " + plan.file().path());
      keepSources();
      delete();
    }
    try {
      return recreate(evenIncomplete);
    } catch (IOException | AlreadyClosedException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "broken off after the old exchange was deleted: %s. Its definition is in %s. To go on, run"
                  .formatted(ErrorWords.of(e), plan.file().path())
              + " the same command again",
          e);
    }
  }

  /** Tries out what will have to work once the old exchange is gone. It leaves nothing behind. */
  private void rehearse(boolean evenIncomplete) throws IOException, TimeoutException {
    tryDeclaration();
    List<String> refused = new ArrayList<>();
    for (ExchangeBinding each : definition.bindings()) {
      // An existing binding is not made twice, but the permissions are checked.
      session.bind(each).ifPresent(reason -> refused.add(each.words() + ": " + reason));
    }
    if (!refused.isEmpty() && !evenIncomplete) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "these bindings cannot be made again, so nothing was changed; go on without them with"
              + " --yes:\n  "
              + String.join("\n  ", refused));
    }
  }

  /** Checks that the broker accepts the declaration, as far as that can be tried. */
  private void tryDeclaration() throws IOException, TimeoutException {
    String name = definition.name() + ".rehearsal-" + UUID.randomUUID();
    // A connection of its own: brokers before 4.0 close it on an unknown exchange type.
    try (Connection connection = session.connect()) {
      Channel channel = connection.createChannel();
      channel.exchangeDeclare(
          name, definition.type(), false, true, definition.internal(), definition.arguments());
      channel.exchangeDelete(name);
    } catch (IOException | AlreadyClosedException e) {
      String words = ErrorWords.of(e);
      if (!words.contains("ACCESS_REFUSED")) {
        throw new CommandFailedException(
            ExitCodes.FAILED,
            "an exchange of type '%s' with these arguments cannot be declared: %s. Nothing was"
                    .formatted(definition.type(), words)
                + " changed; give another --type",
            e);
      }
    }
  }

  /**
   * An auto-delete exchange goes with its last binding, which may be the one to ours. A further
   * binding keeps it until this connection ends; if that is refused, the last step will fail.
   */
  private void keepSources() throws IOException {
    List<String> sources =
        definition.bindings().stream()
            .map(ExchangeBinding::source)
            .filter(each -> !each.equals(definition.name()))
            .distinct()
            .toList();
    if (sources.isEmpty()) {
      return;
    }
    String queue = definition.name() + ".keeper-" + UUID.randomUUID();
    try {
      session.channel().queueDeclare(queue, false, true, true, Map.of("x-max-length", 0));
    } catch (IOException e) {
      screen.say("No queue to keep auto-delete sources alive: " + ErrorWords.of(e));
      return;
    }
    for (String each : sources) {
      session.bind(new ExchangeBinding(each, queue, true, queue, Map.of()));
    }
  }

  private void delete() throws IOException {
    try {
      session.channel().exchangeDelete(definition.name());
    } catch (IOException | AlreadyClosedException e) {
      if (session.channelRefused()) {
        Files.deleteIfExists(plan.file().path());
        throw new CommandFailedException(
            ExitCodes.FAILED,
            "the exchange cannot be deleted: " + ErrorWords.of(e) + ". Nothing was changed",
            e);
      }
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "the connection was lost while the exchange was being deleted. Its definition is in %s; to"
                  .formatted(plan.file().path())
              + " go on, run the same command again",
          e);
    }
  }

  private int recreate(boolean evenIncomplete) throws IOException {
    Channel channel = session.channel();
    definition.declare(channel);
    List<String> missing = new ArrayList<>();
    for (ExchangeBinding each : definition.bindings()) {
      session.bind(each).ifPresent(reason -> missing.add(each.words() + ": " + reason));
    }
    if (!missing.isEmpty() && !evenIncomplete) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "the exchange is there again, and %s of its %s bindings are not. Run the same command"
                  .formatted(missing.size(), definition.bindings().size())
              + " again when they can be made, or with --yes to give them up:\n  "
              + String.join("\n  ", missing));
    }
    missing.forEach(each -> screen.say("Given up: " + each));
    return definition.bindings().size() - missing.size();
  }
}
