// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.internal.base.ErrorWords;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
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

  /** Builds something; a refusal tells where each key that it names is written, too. */
  <T> T check(Supplier<T> built) {
    try {
      return built.get();
    } catch (InvalidConfigurationException | IllegalArgumentException e) {
      String told =
          ErrorWords.of(e).lines().map(this::withOrigin).collect(Collectors.joining("\n"));
      throw told.equals(ErrorWords.of(e)) ? e : new IllegalArgumentException(told, e);
    }
  }

  private String withOrigin(String problem) {
    Matcher key = KEY.matcher(problem);
    String origin = key.find() ? origin(key.group()) : null;
    return origin == null ? problem : problem + "; set by " + origin;
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
