// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.config.InvalidConfigurationException;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/** Where the user wrote a key that is refused: a line of a file, or a variable by its own name. */
record WrittenKeys(Environment environment) {
  private static final Pattern KEY =
      Pattern.compile("pocketwatch(\\.[\\w-]+|\\[\\w+]|\\['[^']*'])+");

  /** Builds something; a refusal that names a key tells where that is written, too. */
  <T> T check(Supplier<T> built) {
    try {
      return built.get();
    } catch (InvalidConfigurationException | IllegalArgumentException e) {
      String problem = String.valueOf(e.getMessage());
      Matcher key = KEY.matcher(problem);
      String origin = key.find() ? origin(key.group()) : null;
      throw origin == null ? e : new IllegalArgumentException(problem + "; set by " + origin, e);
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
