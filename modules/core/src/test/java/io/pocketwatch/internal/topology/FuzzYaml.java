// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import java.util.List;
import java.util.SplittableRandom;

/** A sound configuration with some things changed in it that YAML has and one should not have. */
final class FuzzYaml {
  private static final List<String> PIECES =
      List.of(
          "!!java.net.URL [\"http://127.0.0.1:1/\"]",
          "!!javax.script.ScriptEngineManager [!!java.net.URLClassLoader [[!!java.net.URL"
              + " [\"http://127.0.0.1:1/\"]]]]",
          "!!java.lang.ProcessBuilder [[\"false\"]]",
          "!<tag:yaml.org,2002:java.io.File> x",
          "!!binary aGVsbG8=",
          "!!set {a}",
          "!!float 1",
          "&a ",
          "*a",
          "<<: *a",
          "? ",
          ": ",
          "- ",
          "|\n",
          ">-\n",
          "%YAML 1.1\n",
          "---\n",
          "...\n",
          "\0",
          "\uFEFF",
          "\u2028",
          "\ud800",
          "\t",
          "\r",
          "'",
          "\"",
          "\"\\u0000\"",
          "\"\\x41\"",
          "{",
          "}",
          "[",
          "]",
          ",",
          "#",
          "`",
          "@",
          "~",
          "null",
          "true",
          "0x10",
          "0o7",
          "1e309",
          ".inf",
          ".nan",
          "-1s",
          "1h30m",
          "PT5S",
          "999999999999999999999d",
          "4294967296ms",
          "0",
          "-0",
          "1_000",
          "2026-01-01",
          "quorum",
          "TTL_QUEUE",
          "full",
          "  ",
          "\n",
          "\n  ",
          "\n    ",
          "pocketwatch:",
          "routes:",
          "é",
          "😀");

  private final SplittableRandom random;
  private final String sound;

  FuzzYaml(long seed, String sound) {
    random = new SplittableRandom(seed);
    this.sound = sound;
  }

  String next() {
    StringBuilder text = new StringBuilder(sound);
    for (int changes = random.nextInt(1, 5); changes > 0; changes--) {
      int at = random.nextInt(text.length() + 1);
      int to = Math.min(text.length(), at + random.nextInt(20));
      switch (random.nextInt(4)) {
        case 0 -> text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
        case 1 -> text.delete(at, to);
        case 2 -> text.replace(at, to, PIECES.get(random.nextInt(PIECES.size())));
        default -> text.insert(random.nextInt(text.length() + 1), text.substring(at, to));
      }
    }
    return text.toString();
  }
}
