// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.lab.faults.account.Lane;
import io.pocketwatch.lab.faults.account.Ledger;
import io.pocketwatch.lab.faults.account.Tail;
import io.pocketwatch.lab.faults.process.Effects;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Carries what the journals and the database of an arena say into ledgers. For one thread. */
final class Books {
  private static final int MOST_ROWS = 10_000;

  private final Arena arena;
  private final Screen screen;

  Books(Arena arena, Screen screen) {
    this.arena = arena;
    this.screen = screen;
  }

  /** In the end: which rows would send a message again. */
  void rowsLeftInto(Ledger ledger) throws IOException {
    try {
      for (Lane lane : Lane.ALL.stream().filter(Lane::guarded).toList()) {
        MessageQuery open =
            MessageQuery.all()
                .route(lane.name())
                .states(MessageState.PENDING, MessageState.HELD, MessageState.FAILED)
                .limit(MOST_ROWS);
        ledger.rowsLeft(
            arena.store.store().list(open).stream()
                .map(row -> row.key().id())
                .collect(Collectors.toSet()));
      }
    } catch (StoreException e) {
      throw new IOException("the database does not say which rows are left", e);
    }
  }

  /**
   * Carries what has come since the last call.
   *
   * @param ledgers all that are open: no line is read twice
   */
  void carryInto(Collection<Ledger> ledgers) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Tail journal : arena.journals) {
      lines.addAll(journal.more());
    }
    ledgers.forEach(ledger -> ledger.take(lines));
    try {
      Set<String> parked =
          arena.store.store().list(MessageQuery.all().states(MessageState.PARKED)).stream()
              .map(row -> row.key().id())
              .collect(Collectors.toSet());
      for (Ledger ledger : ledgers) {
        ledger.effects(Effects.read(arena.store.pool(), ledger.prefix()));
        ledger.parkedInStore(parked);
      }
    } catch (SQLException | StoreException e) {
      screen.detail("the database does not answer"); // being killed
    }
  }
}
