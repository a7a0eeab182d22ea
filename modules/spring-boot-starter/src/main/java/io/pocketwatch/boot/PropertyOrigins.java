// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.internal.base.ErrorWords;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Where the user wrote a key that is refused: a line of a file, or a variable by its own name. */
record PropertyOrigins(Environment environment) {
  private static final Pattern KEY =
      Pattern.compile("pocketwatch(\\.[\\w-]+|\\[\\w+]|\\['[^']*'])+");

  /** Builds something; a refusal that names a key tells where that is written, too. */
  <T> T check(Supplier<T> built) {
    try {
      return built.get();
    } catch (InvalidConfigurationException | IllegalArgumentException e) {
      String problem = ErrorWords.of(e);
      Matcher key = KEY.matcher(problem);
      String origin = key.find() ? origin(key.group()) : null;
      throw origin == null ? e : new IllegalArgumentException(problem + "; set by " + origin, e);
    }
  }

  /**
   * Boot takes two names for one that differ in case and dashes only. A variable may write a name
   * without them; who writes another name elsewhere means another route or schedule.
   *
   * @param section where the names are: {@code routes}
   * @throws IllegalArgumentException naming both
   */
  void checkNames(String section) {
    ConfigurationPropertyName parent = ConfigurationPropertyName.of("pocketwatch." + section);
    Map<String, String> names = new HashMap<>();
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (source instanceof IterableConfigurationPropertySource keys
          && !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
        keys.stream()
            .filter(parent::isAncestorOf)
            .map(key -> key.getElement(parent.getNumberOfElements(), Form.ORIGINAL))
            .forEach(name -> checkName(section, names, name));
      }
    }
  }

  private static void checkName(String section, Map<String, String> names, String name) {
    String known = names.putIfAbsent(PocketwatchProperties.plain(name), name);
    if (known != null && !known.equals(name)) {
      throw new IllegalArgumentException(
          ("pocketwatch.%s has '%s' and '%s', which are one name to Spring Boot: it reads"
                  + " neither case nor dashes")
              .formatted(section, known, name));
    }
  }

  /**
   * Boot takes a number alone for milliseconds. In YAML of ours the same number is refused, since
   * most who write one mean seconds.
   *
   * @throws IllegalArgumentException naming the key
   */
  void checkUnits() {
    Set<String> durations = new HashSet<>();
    addDurations(PocketwatchProperties.class, durations);
    ConfigurationPropertyName ours = ConfigurationPropertyName.of("pocketwatch");
    ConfigurationPropertyName others = ours.append("schedules");
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (source instanceof IterableConfigurationPropertySource keys) {
        keys.stream()
            .filter(ours::isAncestorOf)
            .filter(key -> !others.isAncestorOf(key) || !inHeaders(key))
            .filter(key -> durations.contains(lastWord(key)))
            .forEach(this::checkUnit);
      }
    }
  }

  /** The values there are texts. */
  private static boolean inHeaders(ConfigurationPropertyName key) {
    return key.getNumberOfElements() > 4 && "headers".equals(key.getElement(3, Form.UNIFORM));
  }

  private static String lastWord(ConfigurationPropertyName key) {
    ConfigurationPropertyName list = key.isLastElementIndexed() ? key.getParent() : key;
    return list.getLastElement(Form.UNIFORM);
  }

  private void checkUnit(ConfigurationPropertyName key) {
    String value = Binder.get(environment).bind(key, Bindable.of(String.class)).orElse("");
    for (String each : value.split(",", -1)) {
      if (each.strip().matches("[+-]?\\d+")) {
        throw new IllegalArgumentException(
            "%s: %s has no unit; write for example 10ms, 15s, 30m, 2h or 31d"
                .formatted(key, each.strip()));
      }
    }
  }

  /** The names of all fields, also of the types within, that are durations. */
  private static void addDurations(Class<?> type, Set<String> names) {
    for (Field each : type.getDeclaredFields()) {
      if (each.getGenericType().getTypeName().contains(Duration.class.getName())) {
        names.add(PocketwatchProperties.plain(each.getName()));
      }
    }
    for (Class<?> within : type.getDeclaredClasses()) {
      addDurations(within, names);
    }
  }

  private @Nullable String origin(String key) {
    ConfigurationPropertyName name =
        ConfigurationPropertyName.of(key.replace("['", "[").replace("']", "]"));
    for (; !name.isEmpty(); name = name.getParent()) { // a list may be written in one line
      for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
        ConfigurationProperty found = source.getConfigurationProperty(name);
        if (found != null && found.getOrigin() != null) {
          return found.getOrigin().toString();
        }
      }
    }
    return null;
  }
}
