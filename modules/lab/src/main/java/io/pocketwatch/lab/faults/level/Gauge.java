// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.level;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One thing that is measured again and again.
 *
 * @param part whose
 * @param kind what
 */
public record Gauge(Part part, Kind kind) {
  static final List<Gauge> ALL =
      Arrays.stream(Part.values())
          .flatMap(part -> part.kinds().stream().map(kind -> new Gauge(part, kind)))
          .toList();

  /** For a person. */
  public String words() {
    return part.word() + ": " + kind.words();
  }

  /** As in the JSON object. */
  public String word() {
    String rest = kind.name().toLowerCase(Locale.ROOT);
    return part.word() + rest.substring(0, 1).toUpperCase(Locale.ROOT) + rest.substring(1);
  }

  /** A value of it, for a person. */
  public String show(double value) {
    return kind.bytes()
        ? String.format(Locale.ROOT, "%,.1f MB", value / Kind.MEGABYTE)
        : String.format(Locale.ROOT, "%,.0f", value);
  }
}
