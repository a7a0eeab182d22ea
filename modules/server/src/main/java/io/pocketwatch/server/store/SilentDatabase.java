// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import com.zaxxer.hikari.HikariConfig;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * Limits the wait for a database that never answers, as behind a network that drops packets.
 * Drivers wait until TCP gives up, which is never if there is nothing to send.
 */
final class SilentDatabase {
  /** Longer than any statement of ours takes, and short enough for a loader that stands still. */
  static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String SOCKET_TIMEOUT = "socketTimeout";
  private static final Pattern IN_URL =
      Pattern.compile("[?&;]" + SOCKET_TIMEOUT + "=", Pattern.CASE_INSENSITIVE);

  private SilentDatabase() {}

  /** Sets how long its driver waits for an answer, unless the URL says so itself. */
  static void giveUp(HikariConfig config) {
    String url = config.getJdbcUrl();
    if (IN_URL.matcher(url).find()) {
      return;
    }
    if (url.startsWith("jdbc:postgresql:")) {
      config.addDataSourceProperty(SOCKET_TIMEOUT, Long.toString(PATIENCE.toSeconds()));
    } else if (url.startsWith("jdbc:mariadb:") || url.startsWith("jdbc:mysql:")) {
      config.addDataSourceProperty(SOCKET_TIMEOUT, Long.toString(PATIENCE.toMillis()));
    }
  }
}
