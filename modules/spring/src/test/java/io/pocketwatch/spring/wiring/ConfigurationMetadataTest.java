// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.route.DelayRoutes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an editor proposes is what the application takes. */
class ConfigurationMetadataTest {
  private static final String PREFIX = "pocketwatch.";
  private static final Set<String> SECTIONS =
      Set.of("wheel", "ttl-queues", "temporary-queues", "publisher", "loader", "store", "guard");

  @Test
  void it_has_all_keys_and_no_others() throws Exception {
    Set<String> keys = new TreeSet<>();
    for (String key : allowed("")) {
      if (!SECTIONS.contains(key) && !Set.of("defaults", "server").contains(key)) {
        keys.add(key);
      }
    }
    for (String section : SECTIONS) {
      allowed(section).forEach(key -> keys.add(section + "." + key));
    }
    allowed("defaults").forEach(key -> keys.add("defaults." + key));
    keys.addAll(List.of("connect", "enabled", "loader.enabled"));
    assertThat(names()).containsExactlyInAnyOrderElementsOf(keys);
  }

  @Test
  void its_defaults_are_the_defaults() throws Exception {
    Map<String, Object> defaults = new LinkedHashMap<>();
    for (JsonNode property : metadata().get("properties")) {
      JsonNode value = property.get("defaultValue");
      if (value != null) {
        put(defaults, property.get("name").textValue().substring(PREFIX.length()), value);
      }
    }
    PocketwatchSettings settings = PocketwatchSettings.of(defaults);
    assertThat(settings)
        .usingRecursiveComparison()
        .ignoringFields("guard.clock")
        .isEqualTo(PocketwatchSettings.of(Map.of()));
  }

  @SuppressWarnings("unchecked")
  private static void put(Map<String, Object> target, String name, JsonNode value) {
    int dot = name.indexOf('.');
    if (dot < 0) {
      target.put(name, new ObjectMapper().convertValue(value, Object.class));
    } else {
      Map<String, Object> section =
          (Map<String, Object>)
              target.computeIfAbsent(name.substring(0, dot), key -> new LinkedHashMap<>());
      put(section, name.substring(dot + 1), value);
    }
  }

  /** As the application says when it is given a key it does not know. */
  private static List<String> allowed(String section) {
    Map<String, Object> wrong = Map.of("no-such-key", "x");
    Map<String, Object> properties = section.isEmpty() ? wrong : Map.of(section, wrong);
    try {
      if (Set.of("store", "guard").contains(section)) {
        PocketwatchSettings.of(properties);
      } else {
        DelayRoutes.of(properties, "test");
      }
    } catch (RuntimeException e) {
      String message = e.getMessage();
      return Stream.of(message.substring(message.indexOf("allowed: ") + 9).split(", ")).toList();
    }
    throw new AssertionError("took a key that cannot be known, in section '" + section + "'");
  }

  private static List<String> names() throws Exception {
    List<String> names = new ArrayList<>();
    for (JsonNode property : metadata().get("properties")) {
      names.add(property.get("name").textValue().substring(PREFIX.length()));
    }
    return names;
  }

  private static JsonNode metadata() throws Exception {
    return new ObjectMapper()
        .readTree(
            ConfigurationMetadataTest.class.getResource(
                "/META-INF/spring-configuration-metadata.json"));
  }
}
