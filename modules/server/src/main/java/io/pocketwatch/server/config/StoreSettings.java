// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the database is.
 *
 * @param url its JDBC URL; may hold a password
 * @param user null for whoever the database takes us for
 * @param password null for none
 * @param connections how many are kept
 */
public record StoreSettings(
    String url, @Nullable String user, @Nullable String password, int connections) {
  /** Counts over the password in the configuration, as does what its {@code _FILE} holds. */
  public static final String PASSWORD_VARIABLE = "POCKETWATCH_STORE_PASSWORD";

  private static final int CONNECTIONS = 8;
  private static final int MOST_CONNECTIONS = 100;

  /** A store at this URL, with the password of the environment if there is one. */
  public static StoreSettings at(String url, Map<String, String> environment) {
    return new StoreSettings(
        url, null, Secrets.read(PASSWORD_VARIABLE, environment).orElse(null), CONNECTIONS);
  }

  /** The same for a database that asks for none. */
  public StoreSettings withoutPassword() {
    return new StoreSettings(url, user, null, connections);
  }

  static Optional<StoreSettings> read(ConfigurationSection section, Map<String, String> env) {
    if (!section.present()) {
      return Optional.empty();
    }
    section.allow("url", "user", "password", "connections");
    String url = section.text("url").orElseThrow(() -> section.refuse("url", missing()));
    if (!url.startsWith("jdbc:")) {
      throw section.refuse("url", "is no JDBC URL; " + missing());
    }
    String password =
        Secrets.read(PASSWORD_VARIABLE, env).or(() -> section.text("password")).orElse(null);
    return Optional.of(
        new StoreSettings(
            url,
            section.text("user").orElse(null),
            password,
            section.integer("connections", 2, MOST_CONNECTIONS, CONNECTIONS)));
  }

  private static String missing() {
    return "write for example jdbc:postgresql://127.0.0.1:5432/pocketwatch";
  }

  /** Without the URL and the password: the one may hold the other. */
  @Override
  public String toString() {
    return "StoreSettings[user=" + user + ", connections=" + connections + "]";
  }
}
