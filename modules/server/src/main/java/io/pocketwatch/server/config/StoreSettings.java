// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.config.YamlNode;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import java.sql.DriverManager;
import java.sql.SQLException;
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

  /** What its address may look like. */
  static final String EXAMPLE = "for example jdbc:postgresql://127.0.0.1:5432/pocketwatch";

  private static final String DRIVERS =
      "jdbc:postgresql:, jdbc:mariadb: (also for MySQL), jdbc:h2:";

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

  static StoreSettings read(YamlNode section, Map<String, String> environment) {
    String url = section.require("url", EXAMPLE, StoreSettings::url).orElse("");
    Optional<String> user = section.read("user", YamlNode::filledText);
    Optional<String> password = section.read("password", node -> node.hidden().filledText());
    Optional<Integer> connections =
        section.read("connections", node -> node.integer(2, MOST_CONNECTIONS));
    section.refuseOthers();
    return new StoreSettings(
        url,
        user.orElse(null),
        password(section, environment).or(() -> password).orElse(null),
        connections.orElse(CONNECTIONS));
  }

  private static Optional<String> password(YamlNode section, Map<String, String> environment) {
    try {
      return Secrets.read(PASSWORD_VARIABLE, environment);
    } catch (CommandFailedException e) {
      section.report(ErrorWords.of(e));
      return Optional.empty();
    }
  }

  /** Not repeated: it may hold a password. */
  private static String url(YamlNode node) {
    String url = node.hidden().filledText();
    if (!url.startsWith("jdbc:")) {
      throw node.refuse("is no JDBC URL; write " + EXAMPLE);
    }
    return node.check(() -> requireDriver(url));
  }

  /**
   * Refuses a URL that no driver knows.
   *
   * @throws IllegalArgumentException naming what is allowed
   */
  public static String requireDriver(String url) {
    try {
      DriverManager.getDriver(url);
      return url;
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "no driver knows a URL that begins with '%s'; allowed: %s"
              .formatted(scheme(url), DRIVERS),
          e);
    }
  }

  /** Of a JDBC URL, what is no secret. */
  public static String scheme(String url) {
    return url.replaceFirst("^(jdbc:[A-Za-z0-9]*:?).*", "$1");
  }

  /** Without the URL and the password: the one may hold the other. */
  @Override
  public String toString() {
    return "StoreSettings[user=" + user + ", connections=" + connections + "]";
  }
}
