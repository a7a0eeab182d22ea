// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Subject;
import java.time.Duration;
import java.util.List;

/** Schedulers that poll a table. */
public final class SqlPeers {
  private static final DbSchedulerSettings DEFAULTS = DbSchedulerSettings.defaults();

  private SqlPeers() {}

  public static List<Subject> all() {
    return List.of(
        new DbSchedulerSubject("db-scheduler", DEFAULTS),
        dbScheduler("db-scheduler-1s", Duration.ofSeconds(1)),
        dbScheduler("db-scheduler-100ms", Duration.ofMillis(100)),
        dbSchedulerBest(),
        quartz(),
        new QuartzSubject("quartz-batch", 25, 25),
        new TablePollingSubject());
  }

  /** The settings that executed most per second on two cores. */
  public static SqlSubject dbSchedulerBest() {
    return new DbSchedulerSubject(
        "db-scheduler-best", new DbSchedulerSettings(40, Duration.ofMillis(100), true));
  }

  public static SqlSubject quartz() {
    return new QuartzSubject("quartz", 10, 1);
  }

  private static Subject dbScheduler(String name, Duration polling) {
    return new DbSchedulerSubject(name, DEFAULTS.withPolling(polling));
  }
}
