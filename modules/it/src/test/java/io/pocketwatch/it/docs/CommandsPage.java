// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/** The help of all commands as one page, in which an option that several have stands once. */
final class CommandsPage {
  /** One line each: wide enough that nothing is wrapped. */
  private static final int WIDTH = 4_000;

  private static final Pattern ENTRY =
      Pattern.compile("(?m)^\\s*(?:-\\w, )?(--\\S+|\\[?[A-Z]+]?)\\s{2,}(\\S.*)$");

  private final Map<String, CommandLine> commands = new LinkedHashMap<>();
  private final Map<String, Integer> uses = new LinkedHashMap<>();

  CommandsPage(CommandLine all) {
    collect(all);
    commands
        .values()
        .forEach(command -> entries(command).forEach(entry -> uses.merge(entry, 1, Integer::sum)));
  }

  String text() {
    StringBuilder page = new StringBuilder("\n## Options of several commands\n\n");
    uses.keySet().stream()
        .filter(this::isShared)
        .collect(Collectors.toCollection(TreeSet::new))
        .forEach(entry -> page.append("- ").append(entry).append('\n'));
    commands.forEach((name, command) -> append(name, command, page));
    return page.toString();
  }

  private void collect(CommandLine parent) {
    for (CommandLine each : new LinkedHashSet<>(parent.getSubcommands().values())) {
      if (!each.getCommandName().equals("help")) {
        each.setUsageHelpWidth(WIDTH).setUsageHelpLongOptionsMaxWidth(80);
        commands.put(
            each.getCommandSpec().qualifiedName(" ").replaceFirst("^pocketwatch ", ""), each);
        collect(each);
      }
    }
  }

  private boolean isShared(String entry) {
    return uses.get(entry) > 1 && entry.startsWith("`--") && isMostUsed(entry);
  }

  /** Of the texts that one option has at several commands. */
  private boolean isMostUsed(String entry) {
    String option = option(entry);
    return entry.equals(
        uses.keySet().stream()
            .filter(each -> option(each).equals(option))
            .max(Comparator.comparing(uses::get))
            .orElseThrow());
  }

  private static String option(String entry) {
    return entry.replaceFirst("^(`[^`=]+).*", "$1`");
  }

  private void append(String name, CommandLine command, StringBuilder page) {
    Help help = command.getHelp();
    page.append("\n## ")
        .append(name)
        .append("\n\n")
        .append(running(help.description()))
        .append("\n");
    List<String> entries = entries(command);
    List<String> own = entries.stream().filter(entry -> !isShared(entry)).toList();
    page.append("\n");
    own.forEach(entry -> page.append("- ").append(entry).append('\n'));
    String shared =
        entries.stream()
            .filter(this::isShared)
            .map(CommandsPage::option)
            .filter(option -> !option.matches("`--(help|verbose)`"))
            .collect(Collectors.joining(", "));
    if (!shared.isEmpty()) {
      page.append("- as elsewhere: ").append(shared).append('\n');
    }
    footer(help.footer(), page);
  }

  /** Examples are indented, what is said of the exit code is not. */
  private static void footer(String footer, StringBuilder page) {
    List<String> examples = new ArrayList<>();
    List<String> words = new ArrayList<>();
    footer
        .lines()
        .filter(line -> !line.isBlank())
        .forEach(line -> (line.startsWith("  ") ? examples : words).add(line.strip()));
    if (!words.isEmpty()) {
      page.append("\n").append(String.join(" ", words)).append("\n");
    }
    if (!examples.isEmpty()) {
      page.append("\n```\n").append(String.join("\n", examples)).append("\n```\n");
    }
  }

  private static List<String> entries(CommandLine command) {
    Help help = command.getHelp();
    List<String> entries = new ArrayList<>();
    Matcher entry = ENTRY.matcher(help.parameterList() + "\n" + help.optionList());
    while (entry.find()) {
      entries.add("`" + entry.group(1) + "`: " + entry.group(2).strip());
    }
    return entries;
  }

  private static String running(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }
}
