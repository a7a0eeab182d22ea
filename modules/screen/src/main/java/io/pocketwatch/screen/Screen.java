// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * The output of a command. Results go to stdout, so that they can be piped. Everything else goes to
 * stderr, coloured and wrapped only where a person reads it. Control characters are made visible,
 * so no line can do anything to the terminal.
 */
public final class Screen {
  /** Leading blanks, and a name in capitals with the blanks of its column. */
  private static final Pattern BEGINNING = Pattern.compile(" *(?:[A-Z_]+ {2,})?");

  private final PrintWriter out;
  private final PrintWriter err;
  private final Optional<Terminal> terminal;
  private final Ansi ansi;

  private Screen(PrintWriter out, PrintWriter err, Optional<Terminal> terminal, Ansi ansi) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
    this.ansi = ansi;
  }

  /** The screen of a command of this command line. */
  public static Screen of(CommandLine command) {
    Optional<Terminal> terminal = Terminal.behindStderr();
    String noColor = System.getenv("NO_COLOR");
    boolean colours = terminal.isPresent() && (noColor == null || noColor.isEmpty());
    return new Screen(command.getOut(), command.getErr(), terminal, colours ? Ansi.ON : Ansi.OFF);
  }

  /** The terminal that stderr is, if it is one: it can be written over, as a progress bar does. */
  public Optional<Terminal> terminal() {
    return terminal;
  }

  /** A line of the result, on stdout. */
  public void result(String line) {
    out.println(Visible.lines(line));
    out.flush();
  }

  /** A line of progress or explanation, on stderr. */
  public void say(String line) {
    write("", Visible.lines(line));
  }

  private void write(String style, String text) {
    for (String line : terminal.map(each -> wrap(text, each.columns())).orElse(List.of(text))) {
      // Not parsed as markup: the line may hold anything.
      err.println(
          style.isEmpty() ? line : ansi.apply(line, List.of(Ansi.Style.parse(style))).toString());
    }
    err.flush();
  }

  /** Wraps at blanks; further lines are indented to the beginning of the text. */
  static List<String> wrap(String text, int columns) {
    List<String> lines = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      Matcher beginning = BEGINNING.matcher(line);
      String indent = beginning.lookingAt() ? " ".repeat(beginning.end()) : "";
      String rest = line;
      while (rest.length() > columns) {
        int end = rest.lastIndexOf(' ', columns);
        if (end <= indent.length()) {
          end = rest.indexOf(' ', columns);
        }
        if (end < 0) {
          break; // one long word
        }
        lines.add(rest.substring(0, end).stripTrailing());
        rest = indent + rest.substring(end).stripLeading();
      }
      lines.add(rest);
    }
    return lines;
  }

  /** A line below a heading, on stderr. */
  public void detail(String line) {
    say("  " + line);
  }

  /** A line that opens a new part, on stderr. */
  public void heading(String line) {
    say("");
    styled("bold", line);
  }

  /** A line that reports success, on stderr. */
  public void success(String line) {
    styled("bold,green", line);
  }

  /** A line that reports failure, on stderr. */
  public void failure(String line) {
    styled("bold,red", line);
  }

  private void styled(String style, String line) {
    write(style, Visible.lines(line));
  }
}
