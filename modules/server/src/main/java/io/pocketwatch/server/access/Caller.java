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
 * The caller of a request.
 *
 * @param name the name of the credential; {@code anybody} where there are none
 * @param role what the caller may do
 * @param authentication how the caller authenticated: none, bearer or basic
 * @param client the key for limits: the credential, else the address
 * @param address the address the request comes from: that of a proxy, if there is one
 * @param routes the only routes the caller may see and change; empty for all
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

  /** The name that is kept with a message the caller changes. */
  public String actor() {
    return "http:" + name;
  }

  public boolean sees(String route) {
    return routes.isEmpty() || routes.contains(route);
  }

  /** Refuses a hidden route. The answer does not tell whether the route exists. */
  public void requireRoute(String route) {
    if (!sees(route)) {
      throw Problem.of(
          ProblemType.FORBIDDEN,
          "'%s' may see and change these routes only: %s"
              .formatted(name, String.join(", ", new TreeSet<>(routes))));
    }
  }

  /** Refuses callers that may not see all routes, for answers about all of them. */
  public void requireAllRoutes() {
    if (!routes.isEmpty()) {
      throw Problem.of(
          ProblemType.FORBIDDEN,
          "this is about all routes, and '%s' may see some only".formatted(name));
    }
  }

  /**
   * Describes the caller to itself.
   *
   * @param store whether there are stored messages; else a broker alone
   * @param place names the broker that is shown
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
