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
 * The settings of the database.
 *
 * @param url its JDBC URL; may hold a password
 * @param user null for the database's default user
 * @param password null for none
 * @param connections the size of the pool
 */
public record StoreSettings(
    String url, @Nullable String user, @Nullable String password, int connections) {
  /** Overrides the password in the configuration, as does the file of its {@code _FILE}. */
  public static final String PASSWORD_VARIABLE = "POCKETWATCH_STORE_PASSWORD";

  /** An example of an address. */
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

  /** These settings for a database that needs no password. */
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

  /** Errors do not repeat the URL: it may hold a password. */
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

  /** The part of a JDBC URL that is no secret. */
  public static String scheme(String url) {
    return url.replaceFirst("^(jdbc:[A-Za-z0-9]*:?).*", "$1");
  }

  /** Leaves out the password, and the URL, which may hold one. */
  @Override
  public String toString() {
    return "StoreSettings[user=" + user + ", connections=" + connections + "]";
  }
}
