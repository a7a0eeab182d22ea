// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.lab.faults.account.Account;
import io.pocketwatch.lab.faults.account.Ledger;
import io.pocketwatch.lab.faults.account.Messages;
import io.pocketwatch.lab.faults.account.Messages.Span;
import io.pocketwatch.lab.faults.account.RoundResult;
import io.pocketwatch.lab.faults.process.Order;
import io.pocketwatch.lab.faults.report.RoundProgress;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Screen;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** One round in an arena: the messages, the faults, and the wait until every message is settled. */
final class Round {
  /** For copies that come late. */
  private static final Duration AFTER = Duration.ofSeconds(2);

  private static final Duration BEFORE = Duration.ofMillis(300);
  private static final long LOOK_MILLIS = 300;

  private final Arena arena;
  private final RoundPlan plan;
  private final Messages messages;
  private final Ledger ledger;
  private final Screen screen;
  private final Books books;

  private Round(Arena arena, RoundPlan plan, Messages messages, Screen screen) {
    this.arena = arena;
    this.plan = plan;
    this.messages = messages;
    this.ledger = new Ledger(messages);
    this.screen = screen;
    this.books = new Books(arena, screen);
  }

  /**
   * Runs it, after what has to be done before.
   *
   * @param prefix of its ids
   * @param seed of its messages
   */
  static RoundResult run(
      Arena arena, RoundPlan plan, String prefix, RunPlan run, long seed, Strikes.Maker strikes)
      throws IOException, TimeoutException, InterruptedException, SQLException {
    for (RoundPlan.Strike strike : plan.strikes()) {
      strike.fault().before().at(strikes.world());
    }
    arena.awaitReady();
    Messages messages =
        new Messages(
            prefix, seed, run.messages(), Instant.now().plus(BEFORE), Span.alone(run.length()));
    return new Round(arena, plan, messages, strikes.screen()).run(strikes);
  }

  private RoundResult run(Strikes.Maker maker)
      throws IOException, TimeoutException, InterruptedException, SQLException {
    int ends = arena.ownEnds();
    Order.round(arena.orders, messages);
    try (Strikes strikes = maker.make(messages.begin());
        RoundProgress progress = new RoundProgress(screen, messages.count())) {
      strikes.plan(plan.strikes());
      settle(messages.end(), strikes, progress);
      List<String> restarted = strikes.failed().isEmpty() ? mendDeadLettering() : List.of();
      if (!restarted.isEmpty()) {
        settle(Instant.now(), strikes, progress);
      }
      TimeUnit.MILLISECONDS.sleep(AFTER.toMillis());
      books.carryInto(List.of(ledger));
      books.rowsLeftInto(ledger);
      if (!strikes.failed().isEmpty()) {
        throw new CommandFailedException(ExitCodes.FAILED, String.join("; ", strikes.failed()));
      }
      return account(strikes)
          .result(
              Targets.takeDeadLettered(arena.node()),
              restarted.size(),
              arena.ownEnds() - ends,
              strikes.done());
    }
  }

  private void settle(Instant end, Strikes strikes, RoundProgress progress)
      throws IOException, InterruptedException {
    Settling settling = new Settling(ledger, end);
    while (!settling.over(!strikes.over(), () -> account(strikes))) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      books.carryInto(List.of(ledger));
      progress.show(ledger.confirmed(), ledger.handled());
    }
  }

  /**
   * What modules/docs/operate/troubleshoot.md tells an operator to do about it, who has been told
   * by health.
   */
  private List<String> mendDeadLettering() {
    List<String> nodes = DeadLettering.restartWhereItEnded(arena.nodes.all());
    nodes.forEach(
        node ->
            screen.detail("node %s passed nothing on any more; it is restarted".formatted(node)));
    return nodes;
  }

  private Account account(Strikes strikes) {
    Set<String> faults =
        plan.strikes().stream()
            .map(strike -> strike.fault().name())
            .collect(Collectors.toCollection(TreeSet::new));
    return new Account(ledger, plan.hold(), faults, strikes.windows());
  }
}
