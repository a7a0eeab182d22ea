// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.lab.faults.catalogue.Catalogue;
import io.pocketwatch.lab.faults.catalogue.Fault;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Wrong arguments, before anything is started. */
class FaultsCommandTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rounds=0 | --rounds 0 is not within 1 to 1000",
        "--rounds=x | --rounds",
        "--messages=9 | --messages 9 is not within 10 to 1000000",
        "--seconds=9 | --seconds 9 is not within 10 to 3600",
        "--loader-kills=-1 | --loader-kills -1 is not within 0 to 10000",
        "--json=/nowhere/at/all.json | --json /nowhere/at/all.json cannot be written",
        "--broker-version=4..3 | --broker-version '4..3' is not the beginning of a version",
        "--seed=monday | --seed",
        "--faults=earthquake | --faults: 'earthquake' is no fault; --list names them",
        "--hold=stream | --hold 'stream' is neither quorum nor classic",
        "--database=oracle | --database oracle is neither postgresql nor h2",
      })
  void are_refused_with_what_is_allowed(String argument, String words) {
    assertRefused(words, argument);
  }

  @ParameterizedTest
  @CsvSource({"--database-kills=1", "--faults=database-killed"})
  void a_given_database_is_not_killed(String option) {
    assertRefused(
        "a database given with --store is not killed", "--store=jdbc:h2:mem:nobody", option);
  }

  @Test
  void a_given_database_is_of_no_kind() {
    assertRefused(
        "--database: the database is given with --store",
        "--store=jdbc:h2:mem:nobody",
        "--database=h2");
  }

  @Test
  void one_fault_in_each_round_or_several_kills() {
    assertRefused("either one fault", "--faults=broker-killed", "--loader-kills=1");
  }

  @Test
  void the_list_names_every_fault_and_shows_the_table() {
    StringWriter out = new StringWriter();
    int exitCode =
        new CommandLine(new FaultsCommand()).setOut(new PrintWriter(out, true)).execute("--list");

    assertThat(exitCode).isZero();
    assertThat(out.toString())
        .contains(Catalogue.ALL.stream().map(Fault::name).toList())
        .contains("none/quorum", "lost-near");
  }

  private static void assertRefused(String words, String... arguments) {
    StringWriter err = new StringWriter();
    int exitCode =
        new CommandLine(new FaultsCommand()).setErr(new PrintWriter(err, true)).execute(arguments);

    assertThat(exitCode).isEqualTo(2);
    assertThat(err.toString()).contains(words);
  }
}
