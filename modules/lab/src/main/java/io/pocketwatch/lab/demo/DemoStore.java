// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import io.pocketwatch.loader.LoaderPresence;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The demo's database: in memory, unless one is given. */
final class DemoStore {
  private DemoStore() {}

  /**
   * @throws CommandFailedException if the one given is in use: the demo's loader would take its
   *     messages to the demo's broker
   */
  static OpenStore open(@Nullable String url) {
    if (url == null) {
      // It lives until the JVM ends, however many connections there are at the moment.
      String name = "pocketwatch-demo-" + UUID.randomUUID();
      String memory = "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1";
      return OpenStore.create(StoreSettings.at(memory, System.getenv()).withoutPassword());
    }
    OpenStore open = OpenStore.connect(StoreSettings.at(url, System.getenv()));
    try {
      requireUnused(open.store());
      return open;
    } catch (RuntimeException | Error e) {
      open.close();
      throw e;
    }
  }

  private static void requireUnused(DelayStore store) {
    MessageQuery waiting =
        MessageQuery.all().states(MessageState.PENDING, MessageState.HELD, MessageState.PARKED);
    boolean others =
        store.count(waiting) > store.count(waiting.route(DemoNames.TASK_ROUTE))
            || LoaderPresence.of(store).anybody();
    if (others) {
      throw new CommandFailedException(
          ExitCodes.USAGE,
          "--store: it holds messages of somebody else, or a loader is at work on it; give the demo"
              + " a database of its own");
    }
  }
}
