// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.account.Account;
import io.pocketwatch.lab.faults.account.Ledger;
import io.pocketwatch.lab.faults.account.Messages;
import io.pocketwatch.lab.faults.account.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The messages of a minute of a soak, from the first until no more of them will come. */
final class Leg {
  /** For copies that come late. */
  private static final Duration AFTER = Duration.ofSeconds(10);

  private final Messages messages;
  private final HoldQueueType hold;
  private final Settling settling;
  final Ledger ledger;
  private @Nullable Instant settled;

  Leg(Messages messages, HoldQueueType hold) {
    this.messages = messages;
    this.hold = hold;
    this.ledger = new Ledger(messages);
    this.settling = new Settling(ledger, messages.end());
  }

  /** Whether it can be judged. */
  boolean over(Strikes strikes) {
    Instant now = Instant.now();
    if (settled == null && settling.over(strikes.underWay(), () -> account(strikes))) {
      settled = now;
    }
    return settled != null && now.isAfter(settled.plus(AFTER)) && !strikes.underWay();
  }

  /** With the faults that it may have felt. */
  Account account(Strikes strikes) {
    Instant now = Instant.now();
    List<Window> felt =
        strikes.windows().stream().filter(window -> window.touches(messages.begin(), now)).toList();
    Set<String> faults =
        felt.stream().map(Window::fault).collect(Collectors.toCollection(TreeSet::new));
    return new Account(ledger, hold, faults, felt);
  }
}
