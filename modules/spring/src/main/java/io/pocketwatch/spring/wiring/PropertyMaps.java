// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Property sources know no lists: Boot binds {@code delays[0]} as a map with the key 0. */
public final class PropertyMaps {
  private PropertyMaps() {}

  /**
   * What the settings are read from, by Boot's order: files below the environment below what is
   * given to this start.
   *
   * @param belowEnvironment what lies below {@code pocketwatch} in the sources that the environment
   *     counts over, such as files
   * @param environment the environment's variables
   * @param aboveEnvironment what lies there in the sources that count over it, such as the command
   *     line
   */
  public static Map<String, Object> of(
      Map<String, ?> belowEnvironment,
      Map<String, ?> environment,
      Map<String, ?> aboveEnvironment) {
    return over(
        withLists(aboveEnvironment),
        over(EnvironmentKeys.of(environment), withLists(belowEnvironment)));
  }

  private static Map<String, Object> over(Map<String, ?> upper, Map<String, ?> lower) {
    Map<String, Object> merged = new LinkedHashMap<>(lower);
    upper.forEach(
        (key, value) -> {
          Object below = merged.get(key);
          merged.put(
              key,
              value instanceof Map<?, ?> one && below instanceof Map<?, ?> other
                  ? over(named(one), named(other))
                  : value);
        });
    return merged;
  }

  /** A copy that may be changed. */
  static Map<String, Object> named(Map<?, ?> map) {
    Map<String, Object> named = new LinkedHashMap<>();
    map.forEach((key, value) -> named.put(key.toString(), value));
    return named;
  }

  /** The same with lists for maps whose keys are 0, 1, 2 and so on. */
  public static Map<String, Object> withLists(Map<String, ?> properties) {
    Map<String, Object> copy = new LinkedHashMap<>();
    properties.forEach((key, value) -> copy.put(key, value(value)));
    return copy;
  }

  private static Object value(Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      return value;
    }
    List<Object> items = new ArrayList<>();
    Object item = map.get("0");
    while (item != null) {
      items.add(value(item));
      item = map.get(String.valueOf(items.size()));
    }
    if (!items.isEmpty() && items.size() == map.size()) {
      return items;
    }
    return withLists(named(map));
  }
}
