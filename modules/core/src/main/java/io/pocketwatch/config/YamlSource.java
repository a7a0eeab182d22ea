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

/** The source that nodes are read from: its name, the places of its keys, and its faults. */
final class YamlSource {
  /** Stands for a fault that may only follow from another one, and is not reported. */
  static final InvalidConfigurationException FOLLOWS =
      new InvalidConfigurationException("", "", "follows from something else");

  private final String name;

  /** The lines of keys, by path, where the source is YAML that we parsed. */
  private final Map<String, Integer> lines;

  /** The places of keys, by path, in the words of the framework that read them. */
  private final Map<String, String> origins;

  /** The keys that were asked for, present or not, by the path of their mapping. */
  private final Map<String, Set<String>> asked;

  /** The faults found so far; null if the first fault is thrown at once. */
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

  /** A source that throws its first fault. */
  static YamlSource named(String name) {
    return new YamlSource(name);
  }

  /** A copy that collects its faults. */
  YamlSource collecting() {
    return new YamlSource(this, new ArrayList<>());
  }

  /** A copy that throws its first fault. */
  YamlSource throwing() {
    return new YamlSource(this, null);
  }

  /** Notes the line of a key; returns the line where that key stands already, or null. */
  @Nullable Integer at(String path, int line) {
    return lines.putIfAbsent(path, line);
  }

  /** Notes the origin of a key; a mapping has the origin of its first key. */
  void writtenAt(String path, String origin) {
    for (String known = path; !known.isEmpty(); known = parent(known)) {
      origins.putIfAbsent(known, origin);
    }
  }

  /** The keys of a mapping that were asked for, in this order. */
  Set<String> asked(String path) {
    return asked.computeIfAbsent(path, mapping -> new LinkedHashSet<>());
  }

  /** Whether the source is YAML text, whose keys have lines. */
  boolean hasLines() {
    return !lines.isEmpty();
  }

  /** A missing key is reported at the line of the section that should have it. */
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

  /** Collects a fault, or throws it. Of several faults of one key only the first is kept. */
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

  /** Throws the collected faults, in the order of their lines. */
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
