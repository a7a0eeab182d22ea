// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever ends a JVM, its brokers end with it. */
@Tag("wide")
class JvmEndIT {

  /** Run in the JVM that is killed. */
  static final class Victim {

    private Victim() {}

    public static void main(String[] arguments) throws InterruptedException {
      LocalBrokerOptions options =
          LocalBrokerOptions.defaults()
              .withVersion("4.3")
              .withPlugins(List.of())
              .withSources(java.util.EnumSet.of(BrokerSource.PACKAGES, BrokerSource.INSTALLED));
      BrokerNode node = LocalBroker.find(options);
      String folder = node.ctl("eval", "os:getenv(\"POCKETWATCH_BROKER_GROUND\").");
      System.out.println("up " + node.amqpUri().getPort() + " " + folder.strip().replace("\"", ""));
      new CountDownLatch(1).await();
    }
  }

  @Test
  void killed_jvm_leaves_no_broker_behind() throws Exception {
    Process victim =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(victim.getInputStream(), StandardCharsets.UTF_8))) {
      String line = out.lines().filter(text -> text.startsWith("up ")).findFirst().orElseThrow();
      int port = Integer.parseInt(line.split(" ")[1]);
      Path ground = Path.of(line.split(" ")[2]);
      assertThat(ground).isDirectory();
      assertThat(Polling.accepts(port)).isTrue();
      victim.destroyForcibly().waitFor();
      assertThat(
              Polling.until(
                  Duration.ofSeconds(15), () -> !Polling.accepts(port) && Files.notExists(ground)))
          .isTrue();
    } finally {
      victim.destroyForcibly();
    }
  }
}
