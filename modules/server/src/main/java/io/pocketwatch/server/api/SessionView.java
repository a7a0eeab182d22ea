// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.util.Locale;

/** Who is asking, for the one who asks. */
record SessionView(String name, String role, String authentication) {
  static SessionView of(Caller caller) {
    return new SessionView(
        caller.name(), caller.role().name().toLowerCase(Locale.ROOT), caller.authentication());
  }
}
