// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.access;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts wrong credentials, logs them now and then, and limits them by address. Beyond the limit
 * only credentials that an address has used before are accepted. So clients that share a proxy with
 * an attacker can go on.
 */
final class FailedLogins {
  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final long LINE_NANOS = Duration.ofSeconds(10).toNanos();
  private static final int PER_SECOND = 5;
  private static final int REMEMBERED = 10_000;

  private final Counter count;
  private final RateLimits limit = new RateLimits(PER_SECOND);
  private final Set<String> known =
      Collections.newSetFromMap(
          Caffeine.newBuilder().maximumSize(REMEMBERED).<String, Boolean>build().asMap());
  private long silent;
  private long lastLine = System.nanoTime() - LINE_NANOS;

  FailedLogins(MeterRegistry registry) {
    this.count =
        Counter.builder("pocketwatch.http.logins.failed")
            .description("Requests with wrong credentials")
            .register(registry);
  }

  /**
   * Whether right credentials are accepted from an address.
   *
   * @param name the name of the right credential
   */
  synchronized boolean believes(String address, String name) {
    String both = address + " " + name;
    return known.contains(both) || (!limit.isExhausted(address) && known.add(both));
  }

  /**
   * Notes a failed login.
   *
   * @return how long the address has to wait, if it is over the limit
   */
  Optional<Duration> note(String address) {
    count.increment();
    long since;
    synchronized (this) {
      silent++;
      long now = System.nanoTime();
      if (now - lastLine < LINE_NANOS) {
        return limit.take(address);
      }
      lastLine = now;
      since = silent;
      silent = 0;
    }
    LOG.warn("Wrong credentials, {} since the last such line; this one from {}", since, address);
    return limit.take(address);
  }
}
