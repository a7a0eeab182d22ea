// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The commands in the list of the main help, under headings. */
final class CommandGroups {
  private static final Map<String, List<String>> GROUPS = groups();
  private static final Pattern END_OF_CLAUSE = Pattern.compile("[.:;]( |$)");
  private static final int NAME_COLUMN = 20;

  private CommandGroups() {}

  private static Map<String, List<String>> groups() {
    Map<String, List<String>> groups = new LinkedHashMap<>();
    groups.put(
        "Run it:", List.of("serve", "console", "health", "load", "unroutable", "repair", "schema"));
    groups.put(
        "Stored messages:", List.of("list", "show", "cancel", "reschedule", "parked", "release"));
    groups.put("Messages that recur:", List.of("schedules"));
    groups.put("Coming from the plugin:", List.of("migrate-exchange"));
    groups.put("And:", List.of("help"));
    return groups;
  }

  static String list(Help help) {
    Map<String, CommandLine> commands = help.commandSpec().subcommands();
    Map<String, List<String>> groups = new LinkedHashMap<>();
    List<String> further =
        commands.keySet().stream()
            .filter(name -> GROUPS.values().stream().noneMatch(group -> group.contains(name)))
            .toList();
    if (!further.isEmpty()) {
      groups.put("Try it:", further);
    }
    groups.putAll(GROUPS);
    StringBuilder text = new StringBuilder();
    groups.forEach(
        (heading, names) -> {
          text.append(System.lineSeparator()).append(heading).append(System.lineSeparator());
          TextTable table =
              TextTable.forColumns(
                  help.colorScheme(),
                  new Column(NAME_COLUMN, 2, Column.Overflow.SPAN),
                  new Column(width(help) - NAME_COLUMN, 2, Column.Overflow.WRAP));
          for (String name : names) {
            CommandLine command = Objects.requireNonNull(commands.get(name), name);
            table.addRowValues(
                help.colorScheme().commandText(name),
                help.colorScheme().text(HelpText.whole(summary(command))));
          }
          text.append(table);
        });
    return text.toString();
  }

  private static int width(Help help) {
    return help.commandSpec().usageMessage().width();
  }

  /** The header, or the first clause of the description. */
  private static String summary(CommandLine command) {
    UsageMessageSpec usage = command.getCommandSpec().usageMessage();
    return usage.header().length > 0
        ? usage.header()[0]
        : END_OF_CLAUSE.split(usage.description()[0], 2)[0];
  }
}
