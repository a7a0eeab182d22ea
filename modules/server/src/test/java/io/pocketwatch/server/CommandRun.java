// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** One command, run in this JVM as the shell would run it. */
public record CommandRun(int exitCode, List<String> out, List<String> err) {

  public static CommandRun of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
    int exitCode = commandLine.execute(arguments);
    return new CommandRun(
        exitCode, out.toString().lines().toList(), err.toString().lines().toList());
  }

  String lastOut() {
    return out.get(out.size() - 1);
  }
}
