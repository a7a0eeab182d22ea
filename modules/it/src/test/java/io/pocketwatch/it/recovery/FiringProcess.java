// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import com.rabbitmq.client.ConnectionFactory;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.schedule.SchedulesRunner;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.tracking.TrackedPublisher;

/** A loader and a runner of schedules in a JVM of their own. Ends with the test that started it. */
final class FiringProcess {
  /** What its connections are called in the database, so that they alone can be ended. */
  static final String NAME = "firing";

  private FiringProcess() {}

  public static void main(String... arguments) throws Exception {
    ConnectionFactory broker = new ConnectionFactory();
    broker.setUri(arguments[0]);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(arguments[1]);
    config.addDataSourceProperty("ApplicationName", NAME);
    config.setMaximumPoolSize(8);
    try (HikariDataSource pool = new HikariDataSource(config);
        TrackedPublisher publisher =
            DelayedPublisher.builder(broker)
                .routes(RecoveryWorld.routes(KillableProcess.OPTIONS))
                .build(TrackedPublisher.with(JdbcDelayStore.builder(pool).build()));
        Loader loader = new Loader(publisher);
        SchedulesRunner runner = SchedulesRunner.of(Schedules.of(publisher))) {
      loader.start();
      runner.start();
      System.out.println("at work");
      int end = System.in.read(); // until the test is gone
      System.out.println("told to end: " + end);
    }
  }
}
