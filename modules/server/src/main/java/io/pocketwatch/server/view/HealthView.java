// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.loader.LoaderState;
import io.pocketwatch.schedule.SchedulesRunner;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The health of a server, as last seen; asks neither broker nor store. */
public interface HealthView {
  /** The answer of {@code /health}. */
  Map<String, @Nullable Object> json();

  /** Why it does not do its work; empty if it does. */
  List<Notice> problems();

  /** What a person should look at although it works. */
  List<Notice> warnings();

  /** Whether there is a connection to the broker. */
  boolean connected();

  /** The version of the broker last connected to. */
  String brokerVersion();

  /** Whether the store answered lately. */
  boolean storeReachable();

  /** Describes the store. */
  String store();

  /** The state of our own loader. */
  LoaderState loader();

  /** How many loaders have a recent heartbeat. */
  int alive();

  /** The overdue messages, by route. */
  List<OverdueCount> overdue();

  /** When {@link #overdue} was counted, on the store's clock. */
  Instant overdueAt();

  /** The hold queues that take no messages. */
  List<String> brokenHolds();

  /** How many callbacks were given up and have no row, by route. */
  Map<String, Long> parkedCallbacks();

  /** The state of our own runner of schedules. */
  SchedulesRunner.State schedules();
}
