// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.screen.CommandFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefinitionFileTest {
  private static final ExchangeDefinition DEFINITION =
      new ExchangeDefinition(
          "/",
          "orders",
          "topic",
          true,
          false,
          false,
          Map.of("alternate-exchange", "lost"),
          List.of(
              new ExchangeBinding("orders", "q", true, "a.*", Map.of("number", 7)),
              new ExchangeBinding("before", "orders", false, "", Map.of())));

  @TempDir private Path folder;

  @Test
  void what_is_written_is_read_again_whole() {
    DefinitionFile file = new DefinitionFile(folder.resolve("orders.json"));
    assertThat(file.read()).isEmpty();

    file.write(DEFINITION);

    assertThat(file.read()).contains(DEFINITION);
    assertThat(folder).isDirectoryNotContaining("glob:**.part");
  }

  @Test
  void a_finished_one_is_kept_but_not_read() {
    DefinitionFile file = new DefinitionFile(folder.resolve("orders.json"));
    file.write(DEFINITION);

    Path done = file.finish();

    assertThat(file.read()).isEmpty();
    assertThat(new DefinitionFile(done).read()).contains(DEFINITION);
  }

  @Test
  void a_file_of_something_else_is_named() throws IOException {
    DefinitionFile file = new DefinitionFile(folder.resolve("notes.txt"));
    Files.writeString(file.path(), "to do");

    assertThatThrownBy(file::read)
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("--file " + file.path());
  }

  @Test
  void a_folder_that_is_not_there_is_named() {
    DefinitionFile file = new DefinitionFile(folder.resolve("none").resolve("orders.json"));

    assertThatThrownBy(() -> file.write(DEFINITION))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("--file " + file.path())
        .hasMessageContaining("nothing was changed");
  }

  @Test
  void the_usual_names_are_plain_and_differ() {
    assertThat(DefinitionFile.of("shop", "orders").path())
        .hasToString("pocketwatch-migrate-shop-orders.json");
    assertThat(DefinitionFile.of("/", "a/b").path().toString()).matches("[A-Za-z0-9._~-]+");
    assertThat(DefinitionFile.of("/", "a/b")).isNotEqualTo(DefinitionFile.of("/", "a_b"));
    assertThat(DefinitionFile.of("a", "b-c")).isNotEqualTo(DefinitionFile.of("a-b", "c"));
  }
}
