// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The terminal behind stderr.
 *
 * @param columns its width in characters
 */
public record Terminal(int columns) {
  private static final int USUAL_COLUMNS = 80;

  /**
   * The terminal that stderr is, if it is one. Asks the shell: Java 17 knows only whether stdin and
   * stdout are both terminals, and stdout may well be a pipe while somebody watches. A terminal
   * library would tell too, but the one at hand takes Ctrl-C away from the shutdown hooks.
   */
  static Optional<Terminal> behindStderr() {
    if ("dumb".equals(System.getenv("TERM"))) {
      return Optional.empty();
    }
    try {
      Process shell =
          new ProcessBuilder("sh", "-c", "test -t 2 && { stty size <&2 || true; }")
              .redirectError(Redirect.INHERIT)
              .start();
      String size = new String(shell.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return shell.waitFor() == 0 ? Optional.of(ofSize(size)) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // no shell, nothing fancy
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Reads rows and columns as stty writes them; a terminal that does not know says 0. */
  static Terminal ofSize(String size) {
    String[] numbers = size.strip().split(" ", -1);
    int columns =
        numbers.length == 2 && numbers[1].matches("\\d{1,4}") ? Integer.parseInt(numbers[1]) : 0;
    return new Terminal(columns == 0 ? USUAL_COLUMNS : columns);
  }

  /** Whether it shows these characters; under {@code LANG=C} most become question marks. */
  public boolean shows(String characters) {
    String name = System.getProperty("stderr.encoding", System.getProperty("sun.stderr.encoding"));
    Charset charset =
        name != null && Charset.isSupported(name)
            ? Charset.forName(name)
            : Charset.defaultCharset();
    return charset.newEncoder().canEncode(characters);
  }
}
