// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Where a command writes. Results go to stdout, so that they can be piped; everything said on the
 * way goes to stderr, coloured only where a person reads it.
 */
public final class Screen {
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
    out.println(line);
    out.flush();
  }

  /** A line on the way, on stderr. */
  public void say(String line) {
    err.println(line);
    err.flush();
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

  /** A good end, on stderr. */
  public void success(String line) {
    styled("bold,green", line);
  }

  /** A bad end, on stderr. */
  public void failure(String line) {
    styled("bold,red", line);
  }

  private void styled(String style, String line) {
    // Not as markup: the line may hold anything.
    say(ansi.apply(line, List.of(Ansi.Style.parse(style))).toString());
  }
}
