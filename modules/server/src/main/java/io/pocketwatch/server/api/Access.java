// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.pocketwatch.server.config.Credential;
import io.pocketwatch.server.config.Role;
import io.pocketwatch.server.config.ServerSettings;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides, before anything else happens, whether a request is answered. */
final class Access {
  /** What anybody may read: it says nothing about this installation. */
  private static final Set<String> OPEN = Set.of("/api/v1/openapi.yaml", "/api/v1/problems");

  private final Credentials credentials;
  private final RateLimits requests;
  private final LoopbackNames names;

  Access(ServerSettings settings, Map<String, String> environment) {
    this.credentials = new Credentials(settings.credentials(), environment);
    this.requests = new RateLimits(settings.limits().requests());
    this.names = new LoopbackNames(settings.address());
  }

  /**
   * @throws ProblemException if it is not
   */
  void check(Context context) {
    if (OPEN.contains(context.path())) {
      return;
    }
    requireName(context);
    Caller caller = caller(context);
    limit(caller.client());
    caller.rememberIn(context);
    boolean reads = context.method().equals(HandlerType.GET);
    if (!reads) {
      requireSameOrigin(context);
      if (caller.role() != Role.WRITE) {
        throw new ProblemException(
            ProblemType.FORBIDDEN,
            "'%s' has the role read; this needs write".formatted(caller.name()));
      }
    }
  }

  private void requireName(Context context) {
    if (credentials.isEmpty() && !names.includeAuthority(context.host())) {
      throw new ProblemException(
          ProblemType.WRONG_HOST,
          "this server has no credentials and is addressed by a name that is not loopback; use"
              + " localhost, or configure pocketwatch.server.credentials");
    }
  }

  private Caller caller(Context context) {
    String address = "address " + context.ip();
    if (credentials.isEmpty()) {
      return new Caller("anybody", Role.WRITE, "none", address);
    }
    Optional<Credential> found = credentials.find(context.header("Authorization"));
    if (found.isEmpty()) {
      limit(address); // so that nobody can try many
      throw new ProblemException(
          Problem.of(
                  ProblemType.UNAUTHENTICATED,
                  "give a token as 'Authorization: Bearer TOKEN', or user and password by HTTP"
                      + " basic")
              .header("WWW-Authenticate", challenge(context)));
    }
    Credential who = found.get();
    return new Caller(
        who.name(), who.role(), who.token() ? "bearer" : "basic", "credential " + who.name());
  }

  /** A page that asks for the password itself must not have the browser ask too. */
  private static String challenge(Context context) {
    boolean script = "XMLHttpRequest".equals(context.header("X-Requested-With"));
    return script
        ? "Bearer realm=\"pocketwatch\""
        : "Basic realm=\"pocketwatch\", charset=\"UTF-8\"";
  }

  private void limit(String client) {
    Optional<Duration> wait = requests.take(client);
    if (wait.isPresent()) {
      throw new ProblemException(
          Problem.of(ProblemType.RATE_LIMITED, "over the requests per second of one client")
              .retryAfter(wait.get()));
    }
  }

  private static void requireSameOrigin(Context context) {
    String origin = context.header("Origin");
    if (origin != null && !authority(origin).equals(lower(context.header("Host")))) {
      throw new ProblemException(
          ProblemType.CROSS_ORIGIN, "requests of pages of other sites change nothing here");
    }
  }

  private static String authority(String origin) {
    int slashes = origin.indexOf("://");
    return slashes < 0 ? "" : lower(origin.substring(slashes + 3));
  }

  private static String lower(@Nullable String text) {
    return text == null ? "" : text.toLowerCase(Locale.ROOT);
  }
}
