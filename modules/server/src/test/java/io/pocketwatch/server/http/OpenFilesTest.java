// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class OpenFilesTest {
  private final OpenFiles files = new OpenFiles();

  @Test
  void one_credential_has_two_and_all_have_four() {
    OpenFiles.Place first = files.take("reader");
    files.take("reader");
    assertThatThrownBy(() -> files.take("reader")).isInstanceOf(Problem.class);
    files.take("other");
    files.take("other");
    assertThatThrownBy(() -> files.take("third"))
        .isInstanceOf(Problem.class)
        .hasMessageContaining("4, and 2 of one credential");

    first.close();
    files.take("third");
  }
}
