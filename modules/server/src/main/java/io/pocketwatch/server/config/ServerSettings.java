// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.config.YamlNode;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The settings of the HTTP server of {@code serve}.
 *
 * @param name the name of the configuration, which owns its schedules
 * @param address a host name or IP address of this machine
 * @param port 0 for any free one
 * @param api whether it answers more than health and metrics
 * @param credentials the users; empty for anybody on this machine
 * @param configuredOnly whether messages are taken for the configured routes only
 * @param limits the limits of the interface
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
  /** The highest port. */
  public static final int MOST_PORT = 65_535;

  /** The default name of a server. */
  public static final String USUAL_NAME = "serve";

  static final int USUAL_PORT = 8177;

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
        "http://%s:%s/health".formatted(host.contains(":") ? "[" + host + "]" : host, port));
  }

  /** Whether it listens on loopback only, and there are no credentials. */
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

  /** The default settings, on loopback, with the given port. */
  public static ServerSettings usual(int port) {
    return new ServerSettings(
        USUAL_NAME, "127.0.0.1", port, true, List.of(), false, HttpLimits.defaults(), List.of());
  }

  static ServerSettings read(YamlNode section, Reading reading) {
    List<Credential> credentials = new ArrayList<>();
    section.read(
        "credentials",
        all ->
            all.each((name, each) -> credential(name, each, reading).ifPresent(credentials::add)));
    List<CallbackSettings> callbacks = new ArrayList<>();
    section.read(
        "callbacks",
        all ->
            all.each((route, each) -> callbacks.add(CallbackSettings.read(route, each, reading))));
    ServerSettings settings =
        new ServerSettings(
            section.read("name", ServerSettings::name).orElse(USUAL_NAME),
            section.read("address", YamlNode::filledText).orElse("127.0.0.1"),
            section.read("port", node -> node.integer(0, MOST_PORT)).orElse(USUAL_PORT),
            section.read("api", YamlNode::bool).orElse(true),
            credentials,
            section.read("targets", word -> word.oneOf(Targets.values())).orElse(Targets.ANY)
                == Targets.ROUTES,
            section.read("limits", HttpLimits::read).orElse(HttpLimits.defaults()),
            callbacks);
    section.refuseOthers();
    section.reportIf(
        settings.api()
            && credentials.isEmpty()
            && !section.isRefused("credentials")
            && !settings.loopback(),
        "address",
        settings.address()
            + " can be reached from other machines, and nobody would be asked who they are. Add"
            + " pocketwatch.server.credentials, listen on 127.0.0.1, or write api: false for"
            + " /health and /metrics alone");
    return settings;
  }

  private static String name(YamlNode node) {
    String name = node.text();
    if (!NAME.matcher(name).matches()) {
      throw node.refuse("is no name; allowed: 1 to 100 letters of ASCII, digits, '.', '_' and '-'");
    }
    return name;
  }

  private static Optional<Credential> credential(String name, YamlNode section, Reading reading) {
    boolean token = section.find("token") != null;
    if (token == (section.find("password") != null)) {
      section.report("needs either token or password, as env:NAME or file:PATH");
    }
    if (name.isBlank() || name.contains(":") || name.chars().anyMatch(Character::isISOControl)) {
      section.report("is not a name: it is blank, or has a colon or a control character");
    }
    if (name.length() > Credential.LONGEST_NAME) {
      section.report(
          "is not a name: it has %s characters; allowed: %s"
              .formatted(name.length(), Credential.LONGEST_NAME));
    }
    Optional<Role> role =
        section.require("role", "read or write", node -> node.oneOf(Role.values()));
    List<String> only = section.read("routes", YamlNode::texts).orElse(List.of());
    List<String> unknown =
        only.stream()
            .filter(each -> reading.routes().named(each) == null && !section.isRouteRefused(each))
            .toList();
    section.reportIf(!unknown.isEmpty(), "routes", "no route of pocketwatch.routes: " + unknown);
    section.refuseOthers();
    return section
        .read(token ? "token" : "password", reading::secret)
        .map(
            secret ->
                new Credential(name, role.orElse(Role.READ), token, secret, Set.copyOf(only)));
  }

  /** The targets that the API may send to. */
  private enum Targets {
    ANY,
    ROUTES
  }
}
