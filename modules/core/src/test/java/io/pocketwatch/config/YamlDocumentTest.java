// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlDocumentTest {
  private static final AtomicBoolean TRAPPED = new AtomicBoolean();

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"", " \n", "# only a comment\n", "---\n", "---\n...\n"})
  void anEmptyDocumentIsRefused(String yaml) {
    assertThat(refused(yaml)).hasMessage("test.yml: is empty; write at least 'pocketwatch: {}'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "pocketwatch: [1, 2           | :1: is not YAML: while parsing a flow sequence (line 1",
        "`pocketwatch:\n\twheel: {}`  | :2: is not YAML: while scanning for the next token, found",
        "`pocketwatch: \"\\q\"`       | :1: is not YAML: while scanning a double-quoted scalar"
            + " (line 1",
        "[a]: b                       | :1: is not YAML: Expected a field name",
        "`pocketwatch: {}\n---\na: b` | :3: holds more than one YAML document; allowed: one",
        "hello                        | : 'hello' is a text; allowed: a mapping",
        "a=b                          | : 'a=b' is a text; allowed: a mapping",
        "[pocketwatch]                | : [\"pocketwatch\"] is a list; allowed: a mapping",
        "{}                           | : has no key 'pocketwatch'; write at least",
      })
  void whatIsNoConfigurationIsRefusedAsAWhole(String yaml, String problem) {
    InvalidConfigurationException error = refused(yaml);

    assertThat(error.key()).isEmpty();
    assertThat(error).hasMessageStartingWith("test.yml" + problem);
    assertThat(error.getMessage()).doesNotContain("\n", "reader");
  }

  @Test
  void another_top_level_key_is_refused() {
    assertThat(refused("routes: {}"))
        .hasMessage(
            "test.yml: has no key 'pocketwatch'; write at least 'pocketwatch: {}'\n"
                + "test.yml:1: routes: unknown key; allowed: pocketwatch");
  }

  @Test
  void a_duplicate_key_is_refused_with_its_path_and_line() {
    InvalidConfigurationException error =
        refused(
            """
            pocketwatch:
              routes:
                a: { exchange: x }
                b: { exchange: y }
                a: { exchange: z }
            """);

    assertThat(error.key()).isEqualTo("pocketwatch.routes.a");
    assertThat(error)
        .hasMessage("test.yml:5: pocketwatch.routes.a: the key is there twice, first in line 3");
  }

  @Test
  void a_key_without_a_value_is_not_taken_for_an_empty_text() {
    assertThat(refused("pocketwatch:\n  routes:\n    a:\n      exchange:\n      delays: [1s]"))
        .hasMessage(
            "test.yml:4: pocketwatch.routes.a.exchange: has no value; give it one or leave"
                + " the key out");
  }

  @Test
  void an_empty_item_is_not_taken_for_an_empty_text() {
    assertThat(refused("pocketwatch:\n  wheel:\n    hands:\n    - 1h\n    -\n").key())
        .isEqualTo("pocketwatch.wheel.hands[1]");
  }

  @Test
  void an_alias_is_not_taken_for_a_text() {
    assertThat(refused("pocketwatch: {name-prefix: &p x, routes: {a: {exchange: *p}}}"))
        .hasMessage(
            "test.yml:1: pocketwatch.routes.a.exchange: an alias is not followed; write the"
                + " value itself, in quotes if it begins with '*'");
  }

  @Test
  void a_tag_does_not_make_an_object() {
    assertThat(refused("pocketwatch: {name-prefix: !!java.net.URL [\"http://localhost/\"]}"))
        .hasMessageContaining("pocketwatch.name-prefix: [\"http://localhost/\"] is a list");
  }

  /** As a text, list or mapping it is looked at, and as nothing else. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "!!io.pocketwatch.config.YamlDocumentTest$Trap x",
        "!!io.pocketwatch.config.YamlDocumentTest$Trap [x]",
        "!!io.pocketwatch.config.YamlDocumentTest$Trap {name: x}",
        "!<tag:yaml.org,2002:io.pocketwatch.config.YamlDocumentTest$Trap> x",
        "!io.pocketwatch.config.YamlDocumentTest$Trap {}",
        "[!!io.pocketwatch.config.YamlDocumentTest$Trap x]",
        "{@class: io.pocketwatch.config.YamlDocumentTest$Trap}",
        "[io.pocketwatch.config.YamlDocumentTest$Trap, {}]",
      })
  void noClassOfOursIsEvenLoaded(String value) {
    for (String key : List.of("name-prefix", "routes", "wheel", "publisher", "store", "server")) {
      try {
        DelayRoutes.parse("pocketwatch:\n  " + key + ": " + value, "test.yml");
      } catch (InvalidConfigurationException refused) {
        assertThat(refused).hasMessageStartingWith("test.yml:");
      }
    }
    assertThat(TRAPPED).isFalse();
  }

  /** Says so when it is initialised. */
  static final class Trap {
    static {
      TRAPPED.set(true);
    }

    private Trap() {}
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{a: ", "- "})
  void deepNestingIsRefused(String open) {
    assertThat(refused("pocketwatch: \n " + open.repeat(100_000))).hasMessageContaining("nesting");
  }

  @Test
  void a_too_large_text_is_refused() {
    assertThat(refused("pocketwatch: {}" + " ".repeat(1 << 20)))
        .hasMessage("test.yml: is too large for a configuration; allowed: 1 MiB");
  }

  @Test
  void a_too_large_file_is_refused() throws IOException {
    Path file = Files.writeString(folder.resolve("big.yml"), "#".repeat((1 << 20) + 1));

    assertThatExceptionOfType(InvalidConfigurationException.class)
        .isThrownBy(() -> DelayRoutes.load(file))
        .withMessage(file + ": is too large for a configuration; allowed: 1 MiB");
  }

  @Test
  void a_missing_file_is_named_as_given() {
    assertThatExceptionOfType(InvalidConfigurationException.class)
        .isThrownBy(() -> DelayRoutes.load(Path.of("config", "nowhere.yml")))
        .withMessage(Path.of("config", "nowhere.yml") + ": there is no such file");
  }

  @Test
  void a_folder_is_refused() {
    assertThatExceptionOfType(InvalidConfigurationException.class)
        .isThrownBy(() -> DelayRoutes.load(folder))
        .withMessageStartingWith(folder + ": cannot be read: ");
  }

  @Test
  void a_file_that_is_not_utf8_is_refused() throws IOException {
    Path file = folder.resolve("latin.yml");
    Files.write(file, "pocketwatch: {name-prefix: é}".getBytes(StandardCharsets.ISO_8859_1));

    assertThatExceptionOfType(InvalidConfigurationException.class)
        .isThrownBy(() -> DelayRoutes.load(file))
        .withMessage(file + ": is not UTF-8 text");
  }

  @Test
  void broken_text_is_read_or_refused_but_nothing_else() throws IOException {
    String yaml = ShippedConfiguration.withoutComments();
    Random random = new Random(42);
    int refused = 0;
    for (int i = 0; i < 1_000; i++) {
      int at = random.nextInt(yaml.length());
      char other = "\0 :-[]{}'\"#&*!|>%@,~\n\t9x".charAt(random.nextInt(24));
      try {
        assertThat(DelayRoutes.parse(yaml.substring(0, at) + other + yaml.substring(at + 1), "t"))
            .isNotNull();
      } catch (InvalidConfigurationException e) {
        assertThat(e).hasMessageStartingWith("t:");
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(100);
  }

  @Test
  void says_what_is_missing_without_jackson() throws Exception {
    URL[] onlyPocketwatch = {DelayRoutes.class.getProtectionDomain().getCodeSource().getLocation()};
    try (URLClassLoader loader =
        new URLClassLoader(onlyPocketwatch, ClassLoader.getPlatformClassLoader())) {
      var parse =
          loader
              .loadClass(DelayRoutes.class.getName())
              .getMethod("parse", String.class, String.class);

      assertThatExceptionOfType(InvocationTargetException.class)
          .isThrownBy(() -> parse.invoke(null, "pocketwatch: {}", "test.yml"))
          .havingCause()
          .withMessageStartingWith(
              "test.yml: YAML needs com.fasterxml.jackson.dataformat:jackson-dataformat-yaml");
    }
  }

  private static InvalidConfigurationException refused(String yaml) {
    return catchThrowableOfType(
        InvalidConfigurationException.class, () -> DelayRoutes.parse(yaml, "test.yml"));
  }
}
