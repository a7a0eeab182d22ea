// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.stack;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stack as Compose would see it, as far as this folder uses Compose: {@code extends} resolved,
 * further files laid over the first, variables left alone.
 */
record ComposeFile(Map<String, Map<String, Object>> services, Map<String, Object> volumes) {
  static final Path FOLDER = Path.of("..", "..", "docker");
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final TypeReference<Map<String, Object>> TREE = new TypeReference<>() {};

  static ComposeFile of(String... names) throws IOException {
    Map<String, Map<String, Object>> services = new LinkedHashMap<>();
    Map<String, Object> volumes = new LinkedHashMap<>();
    for (String name : names) {
      Map<String, Object> tree = read(name);
      for (String service : map(tree.get("services")).keySet()) {
        services.merge(service, service(name, service), ComposeFile::merged);
      }
      volumes.putAll(map(tree.get("volumes")));
    }
    return new ComposeFile(services, volumes);
  }

  static Map<String, Object> read(String name) throws IOException {
    return YAML.readValue(FOLDER.resolve(name).toFile(), TREE);
  }

  private static Map<String, Object> service(String name, String service) throws IOException {
    Map<String, Object> own =
        new LinkedHashMap<>(map(map(read(name).get("services")).get(service)));
    if (own.isEmpty()) {
      throw new IllegalStateException(name + " has no service " + service);
    }
    Map<String, Object> base = map(own.remove("extends"));
    return base.isEmpty()
        ? own
        : merged(
            service(
                base.getOrDefault("file", name).toString(), String.valueOf(base.get("service"))),
            own);
  }

  /** Mappings key by key, lists one after the other, of anything else the later one. */
  private static Map<String, Object> merged(Map<String, Object> first, Map<String, Object> then) {
    Map<String, Object> both = new LinkedHashMap<>(first);
    then.forEach((key, value) -> both.merge(key, value, (a, b) -> both(key, a, b)));
    return both;
  }

  private static Object both(String key, Object first, Object then) {
    if (first instanceof Map && then instanceof Map) {
      return merged(map(first), map(then));
    }
    if (first instanceof List<?> a && then instanceof List<?> b && !key.equals("test")) {
      List<Object> all = new ArrayList<>(a);
      all.addAll(b);
      return all;
    }
    return then;
  }

  static List<String> list(Map<String, Object> service, String key) {
    return service.get(key) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
  }

  static Map<String, Object> map(@Nullable Object node) {
    Map<String, Object> map = new LinkedHashMap<>();
    if (node instanceof Map<?, ?> any) {
      any.forEach((key, value) -> map.put(String.valueOf(key), value == null ? "" : value));
    }
    return map;
  }
}
