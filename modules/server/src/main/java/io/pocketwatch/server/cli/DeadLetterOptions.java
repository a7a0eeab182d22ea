// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.deadletter.DeadLetterQueue;
import io.pocketwatch.server.deadletter.DeadLetters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Option;

/** The options of commands on dead letters: send them again, or delete them. */
final class DeadLetterOptions {
  private static final int SAY_EVERY = 1_000;

  @Option(names = "--send", description = "Send them again, to where they belong.")
  private boolean send;

  @Option(names = "--delete", description = "Delete them.")
  private boolean delete;

  /** Works on one queue. */
  @FunctionalInterface
  public interface Work<T> {
    T on(DeadLetters messages, DeadLetterQueue queue)
        throws IOException, TimeoutException, InterruptedException;
  }

  /**
   * Works on each queue, over one connection, and returns the results.
   *
   * @throws CommandFailedException if the broker does not let it
   */
  public static <T> List<T> each(
      NamedBroker broker, Names names, List<DeadLetterQueue> queues, Work<T> work) {
    String[] at = {""};
    try {
      return Channels.use(
          broker.connectTolerantly("pocketwatch dead letters"),
          connection -> {
            List<T> done = new ArrayList<>();
            for (DeadLetterQueue queue : queues) {
              at[0] = queue.name();
              try (DeadLetters messages = new DeadLetters(connection, names, queue)) {
                done.add(work.on(messages, queue));
              }
            }
            return done;
          });
    } catch (IOException | TimeoutException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "queue '%s' could not be gone through, what was not confirmed is still in it: %s"
              .formatted(at[0], ErrorWords.of(e)),
          e);
    }
  }

  /**
   * Sends or deletes the messages of a queue.
   *
   * @return how many were sent or deleted
   */
  public DeadLetters.Result change(DeadLetters messages, DeadLetterQueue queue, Screen screen)
      throws IOException, TimeoutException, InterruptedException {
    long count = messages.count();
    if (count == 0) {
      screen.result(line(count, queue));
      return new DeadLetters.Result(0, Map.of(), false);
    }
    if (delete) {
      long deleted = messages.delete();
      screen.result(
          "%s deleted from queue '%s'".formatted(Numbers.of(deleted, "message"), queue.name()));
      return new DeadLetters.Result(deleted, Map.of(), false);
    }
    DeadLetters.Result result =
        messages.send(
            Set.of(),
            seen -> {
              if (seen > 0 && seen % SAY_EVERY == 0) {
                screen.detail(
                    "%s of %s".formatted(Numbers.count(seen), Numbers.of(count, "message")));
              }
              return true;
            });
    screen.result(Numbers.of(result.sent(), "message") + " sent to their targets");
    result
        .left()
        .forEach((why, left) -> screen.failure(Numbers.of(left, "message") + " left: " + why));
    return result;
  }

  /** What was done to the messages, in words. */
  public String done() {
    return delete ? "deleted" : "sent again";
  }

  static String line(long count, DeadLetterQueue queue) {
    return "%s in queue '%s'".formatted(Numbers.of(count, "message"), queue.name());
  }
}
