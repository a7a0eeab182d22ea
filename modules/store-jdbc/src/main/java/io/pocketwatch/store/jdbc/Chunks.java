// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.ScheduledMessage;
import java.util.ArrayList;
import java.util.List;

/** Cuts a batch into statements that stay below a database's limit on one packet. */
final class Chunks {
  private Chunks() {}

  static List<List<ScheduledMessage>> of(List<ScheduledMessage> rows, int maxRows, long maxBytes) {
    List<List<ScheduledMessage>> chunks = new ArrayList<>();
    List<ScheduledMessage> chunk = new ArrayList<>();
    long bytes = 0;
    for (ScheduledMessage row : rows) {
      long size = (long) row.body().length + row.properties().length;
      if (!chunk.isEmpty() && (chunk.size() == maxRows || bytes + size > maxBytes)) {
        chunks.add(chunk);
        chunk = new ArrayList<>();
        bytes = 0;
      }
      chunk.add(row);
      bytes += size;
    }
    if (!chunk.isEmpty()) {
      chunks.add(chunk);
    }
    return chunks;
  }
}
