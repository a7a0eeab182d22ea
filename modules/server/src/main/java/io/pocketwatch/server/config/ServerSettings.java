// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Where {@code serve} listens, and what it answers to whom.
 *
 * @param name of the configuration: whose schedules its own are
 * @param address a host name or IP address of this machine
 * @param port 0 for any free one
 * @param api whether it answers more than health and metrics
 * @param credentials who may; empty for whoever is on this machine
 * @param configuredOnly whether messages are taken for the configured routes only
 * @param limits what it bears
 * @param callbacks the routes whose messages it sends to an HTTP URL
 */
public record ServerSettings(
    String name,
    String address,
    int port,
    boolean api,
    List<Credential> credentials,
    boolean configuredOnly,
    HttpLimits limits,
    List<CallbackSettings> callbacks) {
  /** The highest port there is. */
  public static final int MOST_PORT = 65_535;

  /** How a server is called that names none. */
  public static final String USUAL_NAME = "serve";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  public ServerSettings {
    credentials = List.copyOf(credentials);
    callbacks = List.copyOf(callbacks);
  }

  /** Its health page, as seen from this machine. */
  public URI health() {
    boolean everywhere = address.equals("0.0.0.0") || address.equals("::");
    String host = everywhere ? "127.0.0.1" : address;
    return URI.create(
        "http://%s:%d/health".formatted(host.contains(":") ? "[" + host + "]" : host, port));
  }

  /**
   * Refuses to let whoever comes by change what is in the store.
   *
   * @throws CommandFailedException if others than this machine could, without credentials
   */
  public void requireSafe() {
    if (api && credentials.isEmpty() && !loopback()) {
      throw new CommandFailedException(
          ExitCodes.USAGE,
          ("pocketwatch.server.address: %s can be reached from other machines, and nobody would"
                  + " be asked who they are. Add pocketwatch.server.credentials, listen on"
                  + " 127.0.0.1, or write api: false for /health and /metrics alone")
              .formatted(address));
    }
  }

  /** Whether nobody but this machine can reach it, and nobody is asked who they are. */
  public boolean onlyThisMachine() {
    return credentials.isEmpty() && loopback();
  }

  private boolean loopback() {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false; // it cannot be listened on either, which is said then
    }
  }

  static ServerSettings read(ConfigurationSection section, DelayRoutes routes) {
    section.allow(
        "name", "address", "port", "api", "credentials", "targets", "limits", "callbacks");
    return new ServerSettings(
        name(section),
        section.text("address").orElse("127.0.0.1"),
        section.integer("port", 0, MOST_PORT, 8177),
        section.bool("api", true),
        credentials(section.section("credentials"), routes),
        configuredOnly(section),
        HttpLimits.read(section.section("limits")),
        callbacks(section.section("callbacks"), routes));
  }

  private static List<CallbackSettings> callbacks(
      ConfigurationSection section, DelayRoutes routes) {
    List<CallbackSettings> callbacks = new ArrayList<>();
    section
        .sections()
        .forEach((route, each) -> callbacks.add(CallbackSettings.read(route, each, routes)));
    return callbacks;
  }

  private static String name(ConfigurationSection section) {
    String name = section.text("name").orElse(USUAL_NAME);
    if (!NAME.matcher(name).matches()) {
      throw section.refuse(
          "name", "is no name; allowed: 1 to 100 letters of ASCII, digits, '.', '_' and '-'");
    }
    return name;
  }

  private static boolean configuredOnly(ConfigurationSection section) {
    return switch (section.text("targets").orElse("any")) {
      case "any" -> false;
      case "routes" -> true;
      default -> throw section.refuse("targets", "is neither; allowed: any, routes");
    };
  }

  private static List<Credential> credentials(ConfigurationSection section, DelayRoutes routes) {
    List<Credential> credentials = new ArrayList<>();
    section.sections().forEach((name, each) -> credentials.add(credential(name, each, routes)));
    return credentials;
  }

  private static Credential credential(
      String name, ConfigurationSection section, DelayRoutes routes) {
    section.allow("role", "token", "password", "routes");
    if (name.isBlank() || name.contains(":") || name.chars().anyMatch(Character::isISOControl)) {
      throw section.refuse("is not a name: it is blank, or has a colon or a control character");
    }
    if (name.length() > Credential.LONGEST_NAME) {
      throw section.refuse(
          "is not a name: it has %d characters; allowed: %d"
              .formatted(name.length(), Credential.LONGEST_NAME));
    }
    Role role =
        switch (section.text("role").orElse("")) {
          case "read" -> Role.READ;
          case "write" -> Role.WRITE;
          default -> throw section.refuse("role", "is neither; allowed: read, write");
        };
    boolean token = section.text("token").isPresent();
    if (token == section.text("password").isPresent()) {
      throw section.refuse("needs either token or password, as env:NAME or file:PATH");
    }
    List<String> only = section.texts("routes");
    for (String route : only) {
      if (routes.named(route) == null) {
        throw section.refuse("routes", "'%s' is no route of pocketwatch.routes".formatted(route));
      }
    }
    return new Credential(
        name, role, token, section.secret(token ? "token" : "password"), Set.copyOf(only));
  }
}
