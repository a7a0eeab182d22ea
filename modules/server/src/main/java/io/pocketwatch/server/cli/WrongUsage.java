// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Visible;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong, what was perhaps meant, and where to read on. */
public final class WrongUsage implements IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException wrong, String[] words) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter out = command.getErr();
    boolean nothingSaid = words.length == 0;
    if (nothingSaid) {
      command.usage(out, command.getColorScheme()); // the fault comes last, where it is seen
    }
    out.println(command.getColorScheme().errorText(Visible.word(ErrorWords.of(wrong))));
    List<String> meant = meant(wrong);
    if (!meant.isEmpty()) {
      out.println("Did you mean: " + String.join(" or ", meant) + "?");
    }
    if (!nothingSaid) {
      out.println("See '%s --help'.".formatted(command.getCommandSpec().qualifiedName()));
    }
    return ExitCodes.USAGE;
  }

  /** The best suggestions only: the library also suggests words that share some letters. */
  private static List<String> meant(ParameterException wrong) {
    if (!(wrong instanceof UnmatchedArgumentException unmatched)) {
      return List.of();
    }
    String word = unmatched.getUnmatched().get(0);
    return unmatched.getSuggestions().stream()
        .filter(each -> isLike(each.substring(each.lastIndexOf(' ') + 1), word))
        .toList();
  }

  private static boolean isLike(String meant, String word) {
    return meant.startsWith(word)
        || Math.abs(meant.length() - word.length()) <= 1 && meant.charAt(0) == word.charAt(0);
  }
}
