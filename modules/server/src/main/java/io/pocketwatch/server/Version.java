// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/**
 * The version and, if the build knew it, the commit. Both are read from the jar's manifest, so that
 * only the pom names the version.
 */
final class Version implements IVersionProvider {

  @Override
  public String[] getVersion() throws IOException {
    String version = Version.class.getPackage().getImplementationVersion();
    Properties commit = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("commit.properties")) {
      if (in != null) {
        commit.load(in);
      }
    }
    return new String[] {
      "pocketwatch " + (version == null ? "(not packaged)" : version) + describe(commit)
    };
  }

  static String describe(Properties commit) {
    String id = commit.getProperty("git.commit.id.abbrev", "");
    if (id.isBlank()) {
      return "";
    }
    boolean changed = Boolean.parseBoolean(commit.getProperty("git.dirty"));
    return ", commit " + id + (changed ? " with changes" : "");
  }
}
