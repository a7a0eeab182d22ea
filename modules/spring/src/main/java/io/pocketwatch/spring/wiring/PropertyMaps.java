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
   * What the settings are read from.
   *
   * @param properties what lies below {@code pocketwatch} in all sources but the environment
   * @param environment the environment's variables
   */
  public static Map<String, Object> of(Map<String, ?> properties, Map<String, ?> environment) {
    return EnvironmentKeys.over(withLists(properties), environment);
  }

  /** The same with lists for maps whose keys are 0, 1, 2 and so on. */
  static Map<String, Object> withLists(Map<String, ?> properties) {
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
    Map<String, Object> copy = new LinkedHashMap<>();
    map.forEach((key, child) -> copy.put(key.toString(), value(child)));
    return copy;
  }
}
