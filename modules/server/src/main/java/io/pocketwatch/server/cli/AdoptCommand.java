// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Takes a store over for another broker, on purpose. */
@Command(
    name = "adopt",
    description = {
      "Has the messages of the store go to this broker from now on.",
      "A store notes the first broker (cluster and virtual host) that uses it, and no other may"
          + " send its messages. Stop all that use the store first. Messages that the old broker"
          + " holds stay there.",
      ""
    },
    footer = {
      "",
      "  pocketwatch adopt --dry-run",
      "  pocketwatch adopt --broker amqp://user:password@host:5672/vhost"
    })
public final class AdoptCommand extends StoreCommand {
  @Mixin private BrokerOption brokerOption;

  @Option(names = "--dry-run", description = "Say what would be sent, and change nothing.")
  private boolean dryRun;

  @Override
  boolean run(Invocation call) {
    Screen screen = call.screen();
    NamedBroker named = brokerOption.named(screen::say);
    BrokerIdentity there = named.identity();
    DelayStore store = call.store();
    Optional<BrokerIdentity> before = store.broker();
    screen.result(
        "The messages of this store go to %s; this broker is %s."
            .formatted(before.map(BrokerIdentity::toString).orElse("no broker yet"), there));
    if (before.isPresent() && before.get().equals(there)) {
      screen.result("Nothing was changed.");
      return true;
    }
    MessageQuery pending = MessageQuery.all().states(MessageState.PENDING);
    screen.result(
        "%s wait in the store, %s of them overdue. A loader there sends those that are due at once."
            .formatted(
                Numbers.of(store.count(pending), "message"),
                Numbers.count(store.count(pending.onlyOverdue()))));
    if (dryRun) {
      screen.result("Nothing was changed (--dry-run).");
      return true;
    }
    store.adoptBroker(there);
    call.note("adopt", null, there.toString(), 1, 0);
    screen.result("From now on they go to this broker.");
    return true;
  }
}
