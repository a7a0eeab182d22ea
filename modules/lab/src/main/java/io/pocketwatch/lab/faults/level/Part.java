// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.level;

import java.util.List;
import java.util.Locale;

/** Whose. */
public enum Part {
  PUBLISHER(Kind.HEAP, Kind.THREADS, Kind.FILES),
  LOADER(Kind.HEAP, Kind.THREADS, Kind.FILES),
  CONSUMER(Kind.HEAP, Kind.THREADS, Kind.FILES),
  BROKER(Kind.MEMORY, Kind.PROCESSES, Kind.CONNECTIONS, Kind.CHANNELS, Kind.QUEUES, Kind.MESSAGES),
  STORE(Kind.ROWS);

  private final List<Kind> kinds;

  Part(Kind... kinds) {
    this.kinds = List.of(kinds);
  }

  List<Kind> kinds() {
    return kinds;
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
