// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The Java of quickstart.md, saved and started as the page says. */
class QuickstartIT {
  private static final Path PAGE = Path.of("modules/docs/quickstart.md");

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.anyVersion();

  @TempDir private Path folder;

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  @DisplayName("the reader's message arrives in the reader's queue, five seconds later")
  void arrives() throws Exception {
    Path program = folder.resolve("Quickstart.java");
    Files.writeString(program, Pages.blocks(PAGE, "java").get(0));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                program.toString(),
                BROKER.amqpUri().toString())
            .redirectErrorStream(true)
            .start();
    try {
      String output = output(process);
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(output)
          .containsPattern("Z CONFIRMED, due at \\d{4}-.*Z")
          .containsPattern("Z arrived: Drink some tea");
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  private static String output(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
