// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.Help.IOptionRenderer;
import picocli.CommandLine.Help.IParameterRenderer;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Help whose lines break at blanks only. The library would also break within {@code
 * config/pocketwatch.yml} or {@code 09:00}, so while it breaks lines letters stand for what is
 * between the letters of such names.
 */
final class HelpText extends Help {
  private static final String SIGNS = "-.:/_=,?!";
  private static final char FIRST = '\u13a0'; // letters of Cherokee, which we do not speak
  private static final Pattern WITHIN_WORD = Pattern.compile("(?<=\\S)[" + SIGNS + "](?=\\S)");

  HelpText(CommandSpec spec, ColorScheme colors) {
    super(spec, colors);
  }

  /** Of this command and those below it. */
  static void use(CommandLine command) {
    command.setHelpFactory(HelpText::new);
    showSigns(command);
  }

  private static void showSigns(CommandLine command) {
    command.getHelpSectionMap().replaceAll((name, section) -> help -> back(section.render(help)));
    command.getSubcommands().values().forEach(HelpText::showSigns);
  }

  static String whole(String text) {
    return WITHIN_WORD
        .matcher(text)
        .replaceAll(found -> String.valueOf((char) (FIRST + SIGNS.indexOf(found.group()))));
  }

  private static String back(String text) {
    StringBuilder back = new StringBuilder(text);
    for (int i = 0; i < back.length(); i++) {
      int sign = back.charAt(i) - FIRST;
      if (sign >= 0 && sign < SIGNS.length()) {
        back.setCharAt(i, SIGNS.charAt(sign));
      }
    }
    return back.toString();
  }

  @Override
  public String description(Object... parameters) {
    return wrapped(commandSpec().usageMessage().description());
  }

  @Override
  public String footer(Object... parameters) {
    return wrapped(commandSpec().usageMessage().footer());
  }

  private String wrapped(String... lines) {
    String[] whole = Stream.of(lines).map(HelpText::whole).toArray(String[]::new);
    int width = commandSpec().usageMessage().width();
    return join(ansi(), width, true, whole, new StringBuilder()).toString();
  }

  @Override
  public IOptionRenderer createDefaultOptionRenderer() {
    IOptionRenderer usual = super.createDefaultOptionRenderer();
    return (option, label, colors) -> whole(usual.render(option, label, colors), colors);
  }

  @Override
  public IParameterRenderer createDefaultParameterRenderer() {
    IParameterRenderer usual = super.createDefaultParameterRenderer();
    return (parameter, label, colors) -> whole(usual.render(parameter, label, colors), colors);
  }

  /** Of rows whose last column is the description. */
  private static Text[][] whole(Text[][] rows, ColorScheme colors) {
    for (Text[] row : rows) {
      int last = row.length - 1;
      row[last] = colors.text(whole(row[last].plainString()));
    }
    return rows;
  }
}
