// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What nodes are read from: its name, where its keys are, and what was refused of it. */
final class YamlSource {
  /** What may only follow from something that was refused, and is not told. */
  static final InvalidConfigurationException FOLLOWS =
      new InvalidConfigurationException("", "", "follows from something else");

  private final String name;

  /** Of YAML of ours. */
  private final Map<String, Integer> lines;

  /** Of what somebody else has read, in his words. */
  private final Map<String, String> origins;

  /** The keys that somebody has read, or would have, by the path of their mapping. */
  private final Map<String, Set<String>> asked;

  /** Null if the first fault is thrown where it is found. */
  private final @Nullable List<InvalidConfigurationException> faults;

  private YamlSource(String name) {
    this.name = name;
    lines = new HashMap<>();
    origins = new HashMap<>();
    asked = new HashMap<>();
    faults = null;
  }

  private YamlSource(YamlSource same, @Nullable List<InvalidConfigurationException> faults) {
    name = same.name;
    lines = same.lines;
    origins = same.origins;
    asked = same.asked;
    this.faults = faults;
  }

  /** One whose first fault is thrown. */
  static YamlSource named(String name) {
    return new YamlSource(name);
  }

  /** The same, with its faults collected. */
  YamlSource collecting() {
    return new YamlSource(this, new ArrayList<>());
  }

  /** The same, with the first fault thrown. */
  YamlSource throwing() {
    return new YamlSource(this, null);
  }

  /** Notes where a key is; the line where it is already, or null. */
  @Nullable Integer at(String path, int line) {
    return lines.putIfAbsent(path, line);
  }

  /** Notes where a key is written; a mapping is where the first of its keys is. */
  void writtenAt(String path, String origin) {
    for (String known = path; !known.isEmpty(); known = parent(known)) {
      origins.putIfAbsent(known, origin);
    }
  }

  /** The keys of a mapping that were asked for, in this order. */
  Set<String> asked(String path) {
    return asked.computeIfAbsent(path, mapping -> new LinkedHashSet<>());
  }

  /** Whether it is a text in YAML, whose keys have lines. */
  boolean hasLines() {
    return !lines.isEmpty();
  }

  /** Of a missing key it is where the section is that it is missing in. */
  InvalidConfigurationException refusal(String path, String problem) {
    String known = path;
    while (!known.isEmpty() && !lines.containsKey(known) && !origins.containsKey(known)) {
      known = parent(known);
    }
    String origin = origins.get(known);
    String told = origin == null ? problem : problem + "; set by " + origin;
    return refusal(path, lines.getOrDefault(known, 0), told, null);
  }

  private static String parent(String path) {
    return path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
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
