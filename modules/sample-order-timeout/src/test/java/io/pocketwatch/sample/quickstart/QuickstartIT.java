// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.quickstart;

import static org.awaitility.Awaitility.await;

import io.pocketwatch.testkit.BrokerExtension;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** The application of quickstart.md prints what the page says. */
class QuickstartIT {
  @RegisterExtension
  static final BrokerExtension BROKER = BrokerExtension.anyVersion().allowingOpenConnections();

  @Test
  void the_readers_message_arrives_in_the_readers_queue() {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try (var application =
        new SpringApplicationBuilder(Quickstart.class)
            .properties(
                "spring.config.name=quickstart",
                "spring.main.web-application-type=none",
                "spring.sql.init.mode=never",
                "spring.rabbitmq.addresses=" + BROKER.amqpUri())
            .run()) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> printed.toString(StandardCharsets.UTF_8).contains("arrived: Drink some tea"));
    } finally {
      System.setOut(before);
    }
  }
}
