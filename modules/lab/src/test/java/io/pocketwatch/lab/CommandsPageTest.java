// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * The README ends with the help of every command of the lab. After a change of one run {@code mvn
 * -Plab,one -pl modules/lab verify -Dtest=CommandsPageTest -Dit.test=none
 * -Dpocketwatch.docs.write=true}, and commit the page.
 */
class CommandsPageTest {
  private static final Path README = Path.of("README.md");

  @Test
  void says_what_the_commands_say() throws IOException {
    Map<String, CommandLine> commands = new LinkedHashMap<>(Main.commandLine().getSubcommands());
    commands.keySet().removeAll(io.pocketwatch.server.Main.commandLine().getSubcommands().keySet());
    StringBuilder text = new StringBuilder();
    Locale usual = Locale.getDefault();
    Locale.setDefault(Locale.ROOT); // picocli sorts options as the JVM's language does
    try {
      commands.values().forEach(each -> append(each, text));
    } finally {
      Locale.setDefault(usual);
    }
    String page = Files.readString(README);
    String written = page.replaceFirst("(?s)\n## .*", "") + text;
    if (Boolean.getBoolean("pocketwatch.docs.write")) {
      Files.writeString(README, written);
      page = written;
    }
    assertThat(page).isEqualTo(written).contains("\n## demo\n");
  }

  private static void append(CommandLine command, StringBuilder text) {
    String name = command.getCommandSpec().qualifiedName(" ").replaceFirst("^pocketwatch ", "");
    text.append("\n## ").append(name).append("\n\n```\n");
    text.append(command.getUsageMessage(Ansi.OFF).strip()).append("\n```\n");
    command.getSubcommands().values().forEach(below -> append(below, text));
  }
}
