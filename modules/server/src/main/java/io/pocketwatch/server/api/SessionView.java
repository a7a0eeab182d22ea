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
 */
record SessionView(String name, String role, String authentication, @Nullable Set<String> routes) {
  static SessionView of(Caller caller) {
    return new SessionView(
        caller.name(),
        caller.role().name().toLowerCase(Locale.ROOT),
        caller.authentication(),
        caller.routes().isEmpty() ? null : new TreeSet<>(caller.routes()));
  }
}
