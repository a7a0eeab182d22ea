// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {

  @Test
  void help_names_the_commands_and_exit_codes() {
    CommandRun run = CommandRun.of("--help");

    assertThat(run.exitCode()).isZero();
    assertThat(String.join("\n", run.out()))
        .contains("help", "3   no broker could be found or started")
        .doesNotContain("demo", "soak")
        .contains("serve", "health", "load", "repair", "schema")
        .contains("list", "cancel", "reschedule", "parked", "retry")
        .contains("schedules", "migrate-exchange");
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "mysql", "mariadb", "h2", "H2"})
  void schema_is_printed_for_every_database(String database) {
    CommandRun run = CommandRun.of("schema", "--db", database);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out().get(0)).startsWith("-- Pocketwatch, schema version 1");
    assertThat(run.out()).anyMatch(line -> line.startsWith("CREATE TABLE pocketwatch_message"));
    assertThat(run.err()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "lst, Did you mean: list?",
    "reshedule, Did you mean: reschedule?",
    "frobnicate, See 'pocketwatch --help'."
  })
  void only_what_is_alike_is_suggested(String word, String answer) {
    CommandRun run = CommandRun.of(word);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().get(1)).isEqualTo(answer);
    assertThat(run.err()).anyMatch(line -> line.contains("--help"));
  }

  @Test
  void help_command_explains_another() {
    CommandRun run = CommandRun.of("help", "serve");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out().get(0)).startsWith("Usage: pocketwatch serve");
  }

  @Test
  void a_cron_expression_is_explained_without_a_store() {
    CommandRun run =
        CommandRun.of(
            "schedules", "next", "30 2 28 3 *", "--zone", "Europe/Berlin", "--count", "2");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out().get(0)).contains("02:30");
    assertThat(run.out().get(1)).startsWith("next").contains("in Europe/Berlin");
    assertThat(run.out()).hasSize(4);
    CommandRun json = CommandRun.of("schedules", "next", "15m", "--json");
    assertThat(json.out())
        .singleElement()
        .asString()
        .startsWith("{\"words\":{\"en\":\"every 15m\"");
  }

  @Test
  void version_is_one_line() {
    CommandRun run = CommandRun.of("--version");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).singleElement().asString().startsWith("pocketwatch ");
  }

  @Test
  void a_word_in_place_of_a_number_is_named() {
    assertThat(CommandRun.of("list", "--limit", "abc").err().get(0))
        .contains("--limit", "'abc' is no whole number")
        .doesNotContain(" int");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "xyz",
        "--unknown",
        "list --limit 0",
        "list --limit abc",
        "list --state lost",
        "list extra",
        "cancel",
        "cancel mail",
        "cancel mail 7 --business-key order-7",
        "cancel mail 7 --route mail",
        "reschedule mail 7",
        "reschedule mail 7 --in soon",
        "reschedule mail 7 --in 1h --to 2026-01-31",
        "retry",
        "retry --all mail 7",
        "retry mail 7 --route mail",
        "cancel --state pending",
        "cancel --route mail --state settled",
        "cancel mail 7 --dry-run",
        "reschedule mail 7 --by 1h",
        "reschedule --route mail --by 1h --in 1h",
        "reschedule --route mail",
        "migrate-exchange",
        "migrate-exchange orders --broker http://localhost",
        "migrate-exchange orders --management amqp://localhost",
        "schedules next",
        "schedules next 61***",
        "schedules next @daily --zone Mars/Base",
        "schedules show",
        "schedules pause",
        "schedules frobnicate",
        "schema --db oracle",
        "schema --db h2 --create",
        "load --broker http://localhost",
        "load --broker amqp://one,amqp://me@two",
        "health --url localhost",
        "health --url file:/tmp",
        "serve --port 1"
      })
  void wrong_usage_is_explained_with_exit_code_2(String line) {
    CommandRun run = CommandRun.of(line.isEmpty() ? new String[0] : line.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().get(run.err().size() - 1))
        .matches(line.isEmpty() ? "Missing .*" : "See 'pocketwatch.* --help'\\.");
    if (!line.isEmpty()) {
      assertThat(run.err()).as("the fault is not above the fold").hasSizeLessThanOrEqualTo(3);
    }
  }

  @Test
  void a_wrong_address_is_not_repeated() {
    CommandRun run = CommandRun.of("load", "--broker", "http://user:secret@localhost");

    assertThat(run.err().get(0)).contains("--broker", "amqp://");
    assertThat(String.join("\n", run.err())).doesNotContain("secret");
  }
}
