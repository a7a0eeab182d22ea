// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What nodes are read from: its name, the lines of its keys, and what was refused of it. */
final class YamlSource {
  /** What may only follow from something that was refused, and is not told. */
  static final InvalidConfigurationException FOLLOWS =
      new InvalidConfigurationException("", "", "follows from something else");

  private final String name;
  private final Map<String, Integer> lines;

  /** Null if the first fault is thrown where it is found. */
  private final @Nullable List<InvalidConfigurationException> faults;

  private YamlSource(
      String name,
      Map<String, Integer> lines,
      @Nullable List<InvalidConfigurationException> faults) {
    this.name = name;
    this.lines = lines;
    this.faults = faults;
  }

  /** One whose first fault is thrown. */
  static YamlSource named(String name) {
    return new YamlSource(name, new HashMap<>(), null);
  }

  /** The same, with its faults collected. */
  YamlSource collecting() {
    return new YamlSource(name, lines, new ArrayList<>());
  }

  /** The same, with the first fault thrown. */
  YamlSource throwing() {
    return new YamlSource(name, lines, null);
  }

  /** Notes where a key is; the line where it is already, or null. */
  @Nullable Integer at(String path, int line) {
    return lines.putIfAbsent(path, line);
  }

  /** Whether it is a text in YAML, whose keys have lines. */
  boolean hasLines() {
    return !lines.isEmpty();
  }

  /** The line of a key; of a missing one that of the section it is missing in. */
  private int line(String path) {
    String known = path;
    while (!known.isEmpty() && !lines.containsKey(known)) {
      known =
          known.substring(0, Math.max(0, Math.max(known.lastIndexOf('.'), known.lastIndexOf('['))));
    }
    return lines.getOrDefault(known, 0);
  }

  InvalidConfigurationException refusal(String path, String problem) {
    return refusal(path, line(path), problem, null);
  }

  InvalidConfigurationException refusal(
      String path, int line, String problem, @Nullable Throwable cause) {
    return new InvalidConfigurationException(name, line, path, problem, cause);
  }

  /** Collects a fault, or throws it. Of one key the first is told. */
  void note(InvalidConfigurationException fault) {
    if (faults == null) {
      throw fault;
    }
    if (fault != FOLLOWS && !refusedAsAWhole(fault.key())) {
      faults.add(fault);
    }
  }

  boolean refusedAsAWhole(String path) {
    return faults != null && faults.stream().anyMatch(each -> each.key().equals(path));
  }

  /** Whether something at or below this path was refused. */
  boolean refused(String path) {
    return faults != null && faults.stream().anyMatch(each -> isWithin(each.key(), path));
  }

  private static boolean isWithin(String key, String path) {
    return key.startsWith(path)
        && (path.isEmpty()
            || key.length() == path.length()
            || ".[".indexOf(key.charAt(path.length())) >= 0);
  }

  /** Throws what was collected, in the order of the lines. */
  void requireNone() {
    if (faults != null && !faults.isEmpty()) {
      faults.sort(Comparator.comparingInt(InvalidConfigurationException::line));
      throw InvalidConfigurationException.of(faults);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
