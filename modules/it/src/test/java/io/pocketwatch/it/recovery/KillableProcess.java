// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import com.rabbitmq.client.ConnectionFactory;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A loader and guarded consumers of {@link RecoveryWorld}'s queue in a JVM of their own, whose
 * effects are settled in their own transaction. Ends with the test that started it.
 */
final class KillableProcess {
  /** Leases end soon, so that what a killed process had begun goes on within the test. */
  static final LoaderOptions OPTIONS =
      LoaderOptions.builder()
          .sweep(Duration.ofSeconds(1))
          .grace(Duration.ofSeconds(5))
          .lease(Duration.ofSeconds(10))
          .build();

  static final String SECOND = "a second effect: ";

  private KillableProcess() {}

  /** Where a process finds the broker of a test. */
  static String uri(ConnectionFactory broker) {
    return "amqp://%s:%s@%s:%s/%s"
        .formatted(
            broker.getUsername(),
            broker.getPassword(),
            broker.getHost(),
            broker.getPort(),
            URLEncoder.encode(broker.getVirtualHost(), StandardCharsets.UTF_8));
  }

  /**
   * Starts a class in a JVM of its own.
   *
   * @param main whose main method gets the two addresses
   */
  static Process start(Class<?> main, Path log, String amqpUri, String jdbcUrl) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            main.getName(),
            amqpUri,
            jdbcUrl)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  public static void main(String... arguments) throws Exception {
    ConnectionFactory broker = new ConnectionFactory();
    broker.setUri(arguments[0]);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(arguments[1]);
    config.setMaximumPoolSize(12);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      JdbcDelayStore store = JdbcDelayStore.builder(pool).build();
      Effects effects = new Effects(pool, store);
      Work work =
          (id, delivery) -> {
            int before = effects.second();
            try {
              effects.handle(id, delivery);
            } finally {
              if (effects.second() > before) {
                System.out.println(SECOND + id);
              }
            }
          };
      try (TrackedPublisher publisher =
              DelayedPublisher.builder(broker)
                  .routes(RecoveryWorld.routes(OPTIONS))
                  .build(TrackedPublisher.with(store));
          Loader loader = new Loader(publisher);
          Workers workers =
              new Workers(broker.clone(), store, publisher.unwrap(HandOff.class), 4, work)) {
        loader.start();
        System.out.println("at work: " + workers.arrivals());
        int end = System.in.read(); // until the test is gone
        System.out.println("told to end: " + end);
      }
    }
  }
}
