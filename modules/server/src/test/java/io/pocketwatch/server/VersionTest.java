// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class VersionTest {

  @Test
  void names_the_commit_and_whether_there_was_more() {
    Properties commit = new Properties();
    assertThat(Version.describe(commit)).isEmpty();

    commit.setProperty("git.commit.id.abbrev", "c9c23e5");
    commit.setProperty("git.dirty", "false");
    assertThat(Version.describe(commit)).isEqualTo(", commit c9c23e5");

    commit.setProperty("git.dirty", "true");
    assertThat(Version.describe(commit)).isEqualTo(", commit c9c23e5 with changes");
  }
}
