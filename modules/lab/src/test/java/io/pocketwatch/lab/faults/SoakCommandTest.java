// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Wrong arguments, before anything is started. */
class SoakCommandTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--minutes=0.4 | --minutes 0.4 is not within 0.5 to 10080",
        "--minutes=NaN | --minutes NaN is not within 0.5 to 10080",
        "--minutes=long | --minutes",
        "--rate=0 | --rate 0 is not within 1 to 1000",
        "--every=14 | --every 14 is not within 15 to 86400",
        "--faults=earthquake | --faults: 'earthquake' is no fault",
        "--faults=node-killed | --faults: node-killed needs a cluster",
        "--faults=broker-clock-set | --faults: broker-clock-set needs a broker whose clock can be set",
        "--json=/nowhere/at/all.json | --json /nowhere/at/all.json cannot be written",
        "--broker-version=4..3 | --broker-version '4..3' is not the beginning of a version",
        "--database=oracle | --database oracle is neither postgresql nor h2",
      })
  void are_refused_with_what_is_allowed(String argument, String words) {
    StringWriter err = new StringWriter();
    int exitCode =
        new CommandLine(new SoakCommand()).setErr(new PrintWriter(err, true)).execute(argument);

    assertThat(exitCode).isEqualTo(2);
    assertThat(err.toString()).contains(words);
  }
}
