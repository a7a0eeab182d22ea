// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.http.Context;
import io.pocketwatch.server.config.Role;
import java.util.Objects;

/**
 * Who asks.
 *
 * @param name of the credential; {@code anybody} where there are none
 * @param role what they may
 * @param authentication how they said who they are: none, bearer or basic
 * @param client whom limits are counted by: the credential, else the address
 */
record Caller(String name, Role role, String authentication, String client) {
  private static final String ATTRIBUTE = "pocketwatch.caller";

  void rememberIn(Context context) {
    context.attribute(ATTRIBUTE, this);
  }

  static Caller of(Context context) {
    return Objects.requireNonNull(context.attribute(ATTRIBUTE), "the access check did not run");
  }
}
