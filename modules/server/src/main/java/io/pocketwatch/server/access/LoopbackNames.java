// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.access;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The names this machine has for itself. A page of another site can make a browser send requests
 * here under a name of its own. It cannot make the browser send them under one of these.
 *
 * @param configured the address listened on, as configured
 */
public record LoopbackNames(String configured) {
  /**
   * Whether a request was sent to one of these names.
   *
   * @param authority the header {@code Host}; null if there was none, which no browser does
   */
  public boolean includeAuthority(@Nullable String authority) {
    return authority == null || include(authority.replaceFirst(":\\d+$", ""));
  }

  private boolean include(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return name.equals("localhost")
        || name.endsWith(".localhost")
        || name.equals("[::1]")
        || name.equals("[0:0:0:0:0:0:0:1]")
        || name.matches("127(\\.\\d{1,3}){3}")
        || name.equals(configured.toLowerCase(Locale.ROOT))
        || name.equals("[" + configured.toLowerCase(Locale.ROOT) + "]");
  }
}
