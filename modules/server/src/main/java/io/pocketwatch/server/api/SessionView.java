// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Who is asking, for the one who asks.
 *
 * @param routes the only ones they see and change; null for all
 * @param store whether there are stored messages; else a broker alone
 */
record SessionView(
    String name, String role, String authentication, @Nullable Set<String> routes, boolean store) {
  static SessionView of(Caller caller, boolean store) {
    return new SessionView(
        caller.name(),
        caller.role().name().toLowerCase(Locale.ROOT),
        caller.authentication(),
        caller.routes().isEmpty() ? null : new TreeSet<>(caller.routes()),
        store);
  }
}
