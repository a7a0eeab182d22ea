// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.access;

import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.micrometer.core.instrument.MeterRegistry;
import io.pocketwatch.server.config.Credential;
import io.pocketwatch.server.config.Role;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** Decides whether a request is answered, before anything else happens. */
public final class Access {
  /** The path that anybody may read: it says nothing about this installation. */
  private static final String OPEN = HttpPart.REST + "/openapi.yaml";

  /** A path whose POST has a body but changes nothing. */
  private static final String PREVIEW = HttpPart.REST + "/schedules/preview";

  private final Credentials credentials;
  private final Role anybody;
  private final RateLimits requests;
  private final LoopbackNames names;
  private final FailedLogins failures;

  /**
   * @param anybody the role of anybody on this machine, if there are no credentials
   */
  public Access(
      ServerSettings settings,
      Role anybody,
      Map<String, String> environment,
      MeterRegistry registry) {
    this.anybody = anybody;
    this.failures = new FailedLogins(registry);
    this.credentials = new Credentials(settings.credentials(), environment);
    this.requests = new RateLimits(settings.limits().requests());
    this.names = new LoopbackNames(settings.address());
  }

  /** Whether the request has valid credentials, so that its body is worth reading. */
  public boolean admits(Request request) {
    String said = request.getHeaders().get(HttpHeader.AUTHORIZATION);
    return credentials.isEmpty() || credentials.find(said).isPresent();
  }

  /**
   * @throws Problem if it is not answered
   */
  public void check(Context context) {
    if (context.path().equals(OPEN)) {
      return;
    }
    requireName(context);
    Caller caller = caller(context);
    limit(caller.client());
    caller.rememberIn(context);
    if (!context.method().equals(HandlerType.GET)) {
      requireSameOrigin(context);
      if (caller.role() != Role.WRITE && !isPreview(context)) {
        throw Problem.of(
            ProblemType.FORBIDDEN,
            "'%s' has the role read; this needs write".formatted(caller.name()));
      }
    }
  }

  /** By any other method the same path is a schedule of that name. */
  private static boolean isPreview(Context context) {
    return context.method().equals(HandlerType.POST) && context.path().equals(PREVIEW);
  }

  private void requireName(Context context) {
    if (credentials.isEmpty() && !names.includeAuthority(context.host())) {
      throw Problem.of(
          ProblemType.WRONG_HOST,
          "this server has no credentials and is addressed by a name that is not loopback; use"
              + " localhost, or configure pocketwatch.server.credentials");
    }
  }

  private Caller caller(Context context) {
    String address = context.ip();
    if (credentials.isEmpty()) {
      return new Caller("anybody", anybody, "none", "address " + address, address, Set.of());
    }
    String said = context.header("Authorization");
    Optional<Credential> found = credentials.find(said);
    if (found.isEmpty()) {
      limit("address " + address);
      Optional<Duration> wait = said == null ? Optional.empty() : failures.note(address);
      if (wait.isPresent()) {
        throw tooManyFailures(wait.get());
      }
      throw Problem.of(
              ProblemType.UNAUTHENTICATED,
              "give a token as 'Authorization: Bearer TOKEN', or user and password by HTTP"
                  + " basic")
          .header("WWW-Authenticate", challenge(context));
    }
    Credential who = found.get();
    if (!failures.believes(address, who.name())) {
      throw tooManyFailures(Duration.ofSeconds(1));
    }
    return new Caller(
        who.name(),
        who.role(),
        who.token() ? "bearer" : "basic",
        "credential " + who.name(),
        address,
        who.routes());
  }

  private static Problem tooManyFailures(Duration pause) {
    return Problem.of(ProblemType.RATE_LIMITED, "too many wrong credentials from this address")
        .retryAfter(pause);
  }

  /**
   * The challenge. A page that asks for the password itself must not make the browser ask too: it
   * gets a scheme that no browser knows.
   */
  private String challenge(Context context) {
    boolean script = "XMLHttpRequest".equals(context.header("X-Requested-With"));
    return script
        ? (credentials.hasToken() ? "Bearer" : "xBasic") + " realm=\"pocketwatch\""
        : "Basic realm=\"pocketwatch\", charset=\"UTF-8\"";
  }

  private void limit(String client) {
    Optional<Duration> wait = requests.take(client);
    if (wait.isPresent()) {
      throw Problem.of(ProblemType.RATE_LIMITED, "over the requests per second of one client")
          .retryAfter(wait.get());
    }
  }

  private static void requireSameOrigin(Context context) {
    String origin = context.header("Origin");
    if (origin != null && !isSame(origin, String.valueOf(context.header("Host")))
        || isOfAnotherSite(context.header("Sec-Fetch-Site"))) {
      throw Problem.of(
          ProblemType.CROSS_ORIGIN, "requests of pages of other sites change nothing here");
    }
  }

  /**
   * Browsers send this to addresses they trust, as behind a proxy that ends TLS. There the scheme
   * of {@code Origin} cannot be compared, and a page of plain HTTP on the same host would pass.
   *
   * @see <a href="https://www.w3.org/TR/fetch-metadata/">Fetch Metadata</a>
   */
  private static boolean isOfAnotherSite(@Nullable String fetchSite) {
    return fetchSite != null && !fetchSite.equals("same-origin") && !fetchSite.equals("none");
  }

  /** Some proxies add the port to {@code Host} even if it is the default one; browsers do not. */
  private static boolean isSame(String origin, String host) {
    int slashes = origin.indexOf("://");
    if (slashes < 0) {
      return false;
    }
    String usualPort = origin.startsWith("https:") ? ":443" : ":80";
    return without(usualPort, origin.substring(slashes + 3)).equals(without(usualPort, host));
  }

  private static String without(String port, String authority) {
    String lower = authority.toLowerCase(Locale.ROOT);
    return lower.endsWith(port) ? lower.substring(0, lower.length() - port.length()) : lower;
  }
}
