// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.pocketwatch.screen.CommandFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
  @TempDir private Path folder;

  @Test
  void nobody_has_one() {
    assertThat(Secrets.read("IT", Map.of())).isEmpty();
    assertThat(Secrets.read("IT", Map.of("IT", "", "IT_FILE", " "))).isEmpty();
  }

  @Test
  void from_the_variable_as_it_is() {
    assertThat(Secrets.read("IT", Map.of("IT", " s3cret "))).contains(" s3cret ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3 cret", "s3 cret\n", "s3 cret\r\n"})
  void from_a_file_without_the_line_end(String content) throws IOException {
    Path file = Files.writeString(folder.resolve("it"), content);

    assertThat(Secrets.read("IT", Map.of("IT_FILE", file.toString()))).contains("s3 cret");
  }

  @Test
  void two_are_one_too_many() {
    refused(Map.of("IT", "s3cret", "IT_FILE", "there"), "IT and IT_FILE are both set");
  }

  @Test
  void a_file_that_is_not_there_is_named() {
    refused(Map.of("IT_FILE", "/not/there"), "IT_FILE names '/not/there', and there is no such");
  }

  @Test
  void a_folder_and_an_empty_file_are_no_secret() throws IOException {
    Path empty = Files.createFile(folder.resolve("empty"));

    refused(Map.of("IT_FILE", folder.toString()), "which cannot be read");
    refused(Map.of("IT_FILE", empty.toString()), "which is empty");
  }

  /** A decoder's words would hold a part of it. */
  @Test
  void what_is_no_text_is_not_repeated() throws IOException {
    Path file = Files.write(folder.resolve("it"), new byte[] {'s', '3', (byte) 0xC3, 'x'});

    refused(Map.of("IT_FILE", file.toString()), "which cannot be read: MalformedInputException");
  }

  private static void refused(Map<String, String> environment, String words) {
    assertThatExceptionOfType(CommandFailedException.class)
        .isThrownBy(() -> Secrets.read("IT", environment))
        .withMessageContaining(words)
        .withMessageNotContaining("s3cret");
  }
}
