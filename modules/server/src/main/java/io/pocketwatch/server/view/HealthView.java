// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.loader.LoaderState;
import io.pocketwatch.schedule.SchedulesRunner;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a server is doing, as last seen; asks nobody. */
public interface HealthView {
  /** What {@code /health} answers. */
  Map<String, @Nullable Object> json();

  /** Why it does not do its work; empty if it does. */
  List<Notice> problems();

  /** What a person should look at although it works. */
  List<Notice> warnings();

  /** Whether there is a connection to the broker. */
  boolean connected();

  /** Of the broker last connected to. */
  String brokerVersion();

  /** Whether the store answered lately. */
  boolean storeReachable();

  /** What the store is. */
  String store();

  /** Our own loader. */
  LoaderState loader();

  /** How many loaders show signs of life. */
  int alive();

  /** What is overdue, by route. */
  List<OverdueCount> overdue();

  /** When that was counted, on the store's clock. */
  Instant overdueAt();

  /** The hold queues that take no messages. */
  List<String> brokenHolds();

  /** By route, the callbacks that were given up and have no row. */
  Map<String, Long> parkedCallbacks();

  /** Our own runner of schedules. */
  SchedulesRunner.State schedules();
}
