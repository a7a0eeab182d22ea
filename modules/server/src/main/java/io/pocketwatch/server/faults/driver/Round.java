// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults.driver;

import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.faults.account.Account;
import io.pocketwatch.server.faults.account.Ledger;
import io.pocketwatch.server.faults.account.Messages;
import io.pocketwatch.server.faults.account.RoundResult;
import io.pocketwatch.server.faults.account.Tail;
import io.pocketwatch.server.faults.process.Effects;
import io.pocketwatch.server.faults.process.Order;
import io.pocketwatch.server.faults.report.RoundProgress;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.MessageState;
import io.pocketwatch.store.StoreException;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** One round in an arena: the messages, the faults, and the wait until every message is settled. */
final class Round {
  /** Without any change meanwhile; longer than a recovery by the store takes. */
  private static final Duration PATIENCE = Duration.ofSeconds(75);

  /** Where only messages are missing that may be lost: as long as a broker tries again. */
  private static final Duration PATIENCE_WITH_THE_LOST = Duration.ofSeconds(15);

  /** For copies that come late. */
  private static final Duration AFTER = Duration.ofSeconds(2);

  private static final Duration BEFORE = Duration.ofMillis(300);
  private static final long LOOK_MILLIS = 300;

  private final Arena arena;
  private final RoundPlan plan;
  private final Messages messages;
  private final Ledger ledger;
  private final Screen screen;
  private Instant changed;
  private int lastOpen;

  private Round(Arena arena, RoundPlan plan, Messages messages, Screen screen) {
    this.arena = arena;
    this.plan = plan;
    this.messages = messages;
    this.ledger = new Ledger(messages);
    this.screen = screen;
    this.changed = messages.begin().plus(messages.length());
    this.lastOpen = messages.count();
  }

  /**
   * Runs it.
   *
   * @param prefix of its ids
   * @param seed of its messages
   */
  static RoundResult run(
      Arena arena, RoundPlan plan, String prefix, RunPlan run, long seed, Strikes.Maker strikes)
      throws IOException, TimeoutException, InterruptedException, SQLException {
    Messages messages =
        new Messages(prefix, seed, run.messages(), Instant.now().plus(BEFORE), run.length());
    return new Round(arena, plan, messages, strikes.screen()).run(strikes);
  }

  private RoundResult run(Strikes.Maker maker)
      throws IOException, TimeoutException, InterruptedException, SQLException {
    int ends = arena.ownEnds();
    Order.round(arena.orders, messages);
    try (Strikes strikes = maker.make(messages.begin());
        RoundProgress progress = new RoundProgress(screen, messages.count())) {
      strikes.plan(plan.strikes());
      while (!settled(strikes)) {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        look();
        progress.show(ledger.confirmed(), ledger.handled());
      }
      TimeUnit.MILLISECONDS.sleep(AFTER.toMillis());
      look();
      if (!strikes.failed().isEmpty()) {
        throw new CommandFailedException(ExitCodes.FAILED, String.join("; ", strikes.failed()));
      }
      return account(strikes)
          .result(Targets.takeDeadLettered(arena.node()), arena.ownEnds() - ends, strikes.done());
    }
  }

  private Account account(Strikes strikes) {
    Set<String> faults =
        plan.strikes().stream()
            .map(strike -> strike.fault().name())
            .collect(Collectors.toCollection(TreeSet::new));
    return new Account(ledger, plan.hold(), faults, strikes.windows());
  }

  private boolean settled(Strikes strikes) {
    Instant now = Instant.now();
    int left = ledger.open();
    if (left != lastOpen && now.isAfter(changed)) {
      changed = now;
    }
    lastOpen = left;
    if (!strikes.over() || now.isBefore(messages.begin().plus(messages.length()))) {
      changed = now;
      return false;
    }
    if (left == 0) {
      return true;
    }
    Duration patience =
        account(strikes).onlyAllowedLossesLeft() ? PATIENCE_WITH_THE_LOST : PATIENCE;
    return now.isAfter(changed.plus(patience));
  }

  private void look() throws IOException {
    for (Tail journal : arena.journals) {
      ledger.take(journal.more());
    }
    try {
      ledger.effects(Effects.read(arena.store.pool(), messages.prefix()));
      ledger.parkedInStore(
          arena.store.store().list(MessageQuery.all().states(MessageState.PARKED)).stream()
              .map(row -> row.key().id())
              .collect(Collectors.toSet()));
    } catch (SQLException | StoreException e) {
      screen.detail("the database does not answer"); // being killed
    }
  }
}
