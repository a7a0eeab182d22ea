// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.testkit.BrokerExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of one file each, started as their first lines say. */
@Tag("ci")
class ExamplesIT {
  private static final Path FOLDER = Pages.ROOT.resolve("modules/docs/examples");

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "Delay, outcome=CONFIRMED, late by",
    "LastWriteWins, 'changed, the summary waits', summary sent",
    "OneTransaction, '', cancelled once: committed",
    "OrderTimeout, 'paid: order-1, DONE', cancelled: order-2",
    "Recurring, tick@, tick@",
    "Reminder, moved: DONE, cancelled: DONE",
    "RetryWithBackOff, attempt 1, attempt 3",
    "TakeBack, CONFIRMED, paid: DONE",
  })
  @DisplayName("each runs, and says what it is to say")
  void runs(String name, String first, String last) throws Exception {
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                FOLDER.resolve(name + ".java").toString(),
                BROKER.amqpUri().toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(3, TimeUnit.MINUTES);
      assertThat(output).content().contains(first, last).doesNotContain("rolled-back");
      assertThat(ended && process.exitValue() == 0).as(Files.readString(output)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }
}
