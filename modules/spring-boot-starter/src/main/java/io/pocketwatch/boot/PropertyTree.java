// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.config.YamlNode.Written;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * The properties below {@code pocketwatch} as nested maps, lists and texts, each with its origin:
 * the input of the YAML reader. Boot finds the names, in each of its spellings, but converts no
 * value. Unknown names are kept as they are written, unless they come from a variable or a system
 * property, which may be of our tools.
 */
final class PropertyTree implements BindHandler {
  static final String ROOT = "pocketwatch";

  private static final ConfigurationPropertyName TOP = ConfigurationPropertyName.of(ROOT);
  private static final Bindable<List<String>> TEXTS = Bindable.listOf(String.class);

  private final Iterable<ConfigurationPropertySource> sources;
  private final Binder binder;
  private final Branch top = new Branch();

  /** Boot's name of each key and section it has looked for, by any name that equals it. */
  private final Map<ConfigurationPropertyName, ConfigurationPropertyName> known = new HashMap<>();

  /** The names that have a value. */
  private final Set<ConfigurationPropertyName> values = new LinkedHashSet<>();

  private PropertyTree(Environment environment) {
    sources = ConfigurationPropertySources.get(environment);
    binder = Binder.get(environment);
  }

  static Map<String, Object> of(Environment environment) {
    PropertyTree tree = new PropertyTree(environment);
    tree.binder.bind(TOP, Bindable.of(PocketwatchProperties.class), tree);
    tree.files()
        .flatMap(IterableConfigurationPropertySource::stream)
        .filter(name -> TOP.isAncestorOf(name) && !tree.isTaken(name))
        .forEach(tree::put);
    return tree.top.keys();
  }

  /** Boot calls this for each key that has a type; the value is taken as it is written. */
  @Override
  public <T> @Nullable Bindable<T> onStart(
      ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
    known.put(name, name);
    Class<?> type = target.getType().resolve(Object.class);
    boolean section =
        Map.class.isAssignableFrom(type)
            || (!type.isEnum() && type.getName().startsWith(PocketwatchProperties.class.getName()));
    if (section) {
      return target;
    }
    if (List.class.isAssignableFrom(type)) {
      binder.bind(name, TEXTS).ifBound(texts -> take(name, items(name, texts)));
    } else {
      put(name);
    }
    return null;
  }

  /** Called for a text where a section should be, which the reader reports. */
  @Override
  public @Nullable Object onFailure(
      ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
    return null;
  }

  private void put(ConfigurationPropertyName name) {
    ConfigurationProperty property = property(name);
    if (property != null) {
      take(name, written(name, text(property)));
    }
  }

  private String text(ConfigurationProperty property) {
    try {
      return binder.bind(property.getName(), Bindable.of(String.class)).orElse("");
    } catch (BindException e) { // circular placeholders, which are refused
      return String.valueOf(property.getValue());
    }
  }

  private List<Object> items(ConfigurationPropertyName name, List<String> texts) {
    List<Object> items = new ArrayList<>();
    for (String text : texts) {
      ConfigurationPropertyName item = name.append("[" + items.size() + "]");
      items.add(written(property(item) == null ? name : item, text)); // all may be in one line
    }
    return items;
  }

  private Object written(ConfigurationPropertyName name, String text) {
    ConfigurationProperty property = property(name);
    return property == null || property.getOrigin() == null
        ? text
        : new Written(text, property.getOrigin().toString());
  }

  private @Nullable ConfigurationProperty property(ConfigurationPropertyName name) {
    for (ConfigurationPropertySource source : sources) {
      ConfigurationProperty found = source.getConfigurationProperty(name);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private boolean isTaken(ConfigurationPropertyName name) {
    return values.contains(name)
        || (name.isLastElementIndexed() && values.contains(name.getParent()));
  }

  private void take(ConfigurationPropertyName name, Object value) {
    values.add(name);
    Branch branch = top;
    int last = name.getNumberOfElements() - 1;
    for (int i = 1; i < last; i++) {
      branch = branch.below(element(name, i), name.isNumericIndex(i));
    }
    branch.put(element(name, last), name.isNumericIndex(last), value);
  }

  private String element(ConfigurationPropertyName name, int index) {
    ConfigurationPropertyName prefix = name.chop(index + 1);
    return known.getOrDefault(prefix, prefix).getElement(index, Form.ORIGINAL);
  }

  /** The sources of properties, without variables and system properties. */
  private Stream<IterableConfigurationPropertySource> files() {
    Function<ConfigurationPropertySource, Boolean> filter = new UnboundElementsSourceFilter();
    List<IterableConfigurationPropertySource> files = new ArrayList<>();
    for (ConfigurationPropertySource source : sources) {
      if (source instanceof IterableConfigurationPropertySource names && filter.apply(source)) {
        files.add(names);
      }
    }
    return files.stream();
  }

  /**
   * Finds names that differ in case and dashes only, which Boot takes for one. A variable may leave
   * these out, but another spelling in a file means another route or schedule.
   *
   * @param section where the names are: {@code routes}
   * @return a problem for each pair
   */
  static List<String> sameNames(Environment environment, String section) {
    ConfigurationPropertyName parent = TOP.append(section);
    Map<String, String> names = new HashMap<>();
    List<String> same = new ArrayList<>();
    new PropertyTree(environment)
        .files()
        .flatMap(IterableConfigurationPropertySource::stream)
        .filter(parent::isAncestorOf)
        .map(key -> key.getElement(parent.getNumberOfElements(), Form.ORIGINAL))
        .distinct()
        .forEach(
            name -> {
              String other = names.putIfAbsent(plain(name), name);
              if (other != null && !other.equals(name)) {
                same.add(
                    ("has '%s' and '%s', which are one name to Spring Boot: it reads neither case"
                            + " nor dashes")
                        .formatted(other, name));
              }
            });
    return same;
  }

  /** The name as Boot compares it, and as a variable has it. */
  private static String plain(String name) {
    return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
  }

  /** A mapping, or a list if its keys count from zero. */
  private static final class Branch {
    private final Map<String, String> names = new HashMap<>();
    private final Map<String, Object> values = new LinkedHashMap<>();
    private boolean indexed = true;

    Branch below(String name, boolean index) {
      String plain = note(name, index);
      Object there = values.get(plain);
      Branch below = there instanceof Branch branch ? branch : new Branch();
      values.put(plain, below);
      return below;
    }

    void put(String name, boolean index, Object value) {
      values.putIfAbsent(note(name, index), value);
    }

    /** Prefers the name in a file, since a variable has neither case nor dashes. */
    private String note(String name, boolean index) {
      indexed &= index;
      String plain = plain(name);
      names.merge(plain, name, (one, other) -> one.equals(plain) ? other : one);
      return plain;
    }

    Map<String, Object> keys() {
      Map<String, Object> keys = new LinkedHashMap<>();
      values.forEach((plain, each) -> keys.put(names.getOrDefault(plain, plain), value(each)));
      return keys;
    }

    private static Object value(Object value) {
      if (!(value instanceof Branch branch)) {
        return value;
      }
      Map<String, Object> keys = branch.keys();
      return branch.indexed && keys.containsKey("0") ? List.copyOf(keys.values()) : keys;
    }
  }
}
