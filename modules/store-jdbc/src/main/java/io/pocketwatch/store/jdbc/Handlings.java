// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Handlings: begun, renewed, ended, many in one transaction. Their messages' rows are locked first,
 * and written once all is known. A row that somebody else has locked is left out, so that nobody
 * waits for a message that is not his.
 */
final class Handlings {
  private final LockedRows rows;
  private final Progress progress;

  Handlings(LockedRows rows, Progress progress) {
    this.rows = rows;
    this.progress = progress;
  }

  List<Begun> begin(Connection connection, List<Beginning> copies, Duration lease)
      throws SQLException {
    long leaseMillis = RowLimits.millis(lease);
    copies.forEach(one -> RowLimits.consumer(one.handling().consumer()));
    Map<MessageKey, LockedRow> locked =
        rows.unlocked(connection, copies.stream().map(Beginning::handling));
    Set<MessageKey> others =
        rows.lockedByOthers(
            connection, locked, copies.stream().map(one -> one.handling().key()).toList(), "");
    List<Begun> answers = new ArrayList<>();
    for (Beginning one : copies) {
      MessageKey key = one.handling().key();
      LockedRow row = locked.get(key);
      answers.add(
          row != null
              ? row.begin(one, leaseMillis)
              : Begun.of(others.contains(key) ? Verdict.LOCKED : Verdict.UNKNOWN));
    }
    rows.writeHandlings(connection, locked.values());
    progress.write(connection, new Progress.Reached());
    return answers;
  }

  List<Ended> end(Connection connection, List<Ending> endings) throws SQLException {
    Map<MessageKey, LockedRow> locked =
        rows.unlocked(connection, endings.stream().map(Ending::handling));
    Set<MessageKey> others =
        rows.lockedByOthers(
            connection, locked, endings.stream().map(one -> one.handling().key()).toList(), "");
    Progress.Reached reached = new Progress.Reached();
    List<Ended> answers = new ArrayList<>();
    for (Ending one : endings) {
      Handling handling = one.handling();
      LockedRow row = locked.get(handling.key());
      if (row == null) {
        answers.add(
            others.contains(handling.key())
                ? Ended.LOCKED
                : one.kind() == Ending.Kind.SETTLED_IN // it is history already
                    ? Ended.APPLIED
                    : Ended.OVERTAKEN);
        continue;
      }
      answers.add(row.end(one));
      if (row.hasSettled(handling)) {
        reached.add(handling, row.deliverAt());
      }
    }
    rows.write(connection, Bulk.Planned.ONCE, locked.values());
    progress.write(connection, reached);
    return answers;
  }

  /**
   * In a transaction of the user's: waits for the row. Settled before is not settled by it, also
   * under the same token: its effect would happen twice.
   */
  boolean settle(Connection connection, Handling handling) throws SQLException {
    LockedRow row = rows.waitFor(connection, handling.key()).orElse(null);
    if (row == null || !row.settle(handling)) {
      return false;
    }
    rows.write(connection, Bulk.Planned.ANEW, List.of(row));
    progress.note(handling, row.deliverAt());
    return true;
  }

  /**
   * True also for a locked row: somebody ends a handling of it just now, which a renewal must not
   * wait for. Nobody can take it over meanwhile. If it is gone, the settling will tell.
   */
  List<Boolean> extend(Connection connection, List<Handling> handlings, Duration lease)
      throws SQLException {
    long leaseMillis = RowLimits.millis(lease);
    Map<MessageKey, LockedRow> locked = rows.unlocked(connection, handlings.stream());
    List<Boolean> answers = new ArrayList<>();
    for (Handling one : handlings) {
      LockedRow row = locked.get(one.key());
      answers.add(row == null || row.extend(one, leaseMillis));
    }
    rows.writeHandlings(connection, locked.values());
    return answers;
  }
}
