// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.access;

import io.javalin.http.Context;
import io.pocketwatch.server.config.Role;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Who asks.
 *
 * @param name of the credential; {@code anybody} where there are none
 * @param role what they may
 * @param authentication how they said who they are: none, bearer or basic
 * @param client whom limits are counted by: the credential, else the address
 * @param address where the request comes from: a proxy's, if there is one
 * @param routes the only ones they see and change; empty for all
 */
public record Caller(
    String name,
    Role role,
    String authentication,
    String client,
    String address,
    Set<String> routes) {
  private static final String ATTRIBUTE = "pocketwatch.caller";

  public Caller {
    routes = Set.copyOf(routes);
  }

  void rememberIn(Context context) {
    context.attribute(ATTRIBUTE, this);
  }

  public static Caller of(Context context) {
    return Objects.requireNonNull(context.attribute(ATTRIBUTE), "the access check did not run");
  }

  /** As it is kept with a message that they change. */
  public String actor() {
    return "http:" + name;
  }

  public boolean sees(String route) {
    return routes.isEmpty() || routes.contains(route);
  }

  /** Says the same of a route that there is and of one that there is not. */
  public void requireRoute(String route) {
    if (!sees(route)) {
      throw Problem.of(
          ProblemType.FORBIDDEN,
          "'%s' may see and change these routes only: %s"
              .formatted(name, String.join(", ", new TreeSet<>(routes))));
    }
  }

  /** For what is about all routes together. */
  public void requireAllRoutes() {
    if (!routes.isEmpty()) {
      throw Problem.of(
          ProblemType.FORBIDDEN,
          "this is about all routes, and '%s' may see some only".formatted(name));
    }
  }

  /**
   * Who they are, for themselves.
   *
   * @param store whether there are stored messages; else a broker alone
   * @param place what they look at
   */
  public Map<String, @Nullable Object> session(boolean store, Map<String, String> place) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("name", name);
    json.put("role", role.name().toLowerCase(Locale.ROOT));
    json.put("authentication", authentication);
    json.put("routes", routes.isEmpty() ? null : new TreeSet<>(routes));
    json.put("store", store);
    json.put("place", place);
    return json;
  }
}
