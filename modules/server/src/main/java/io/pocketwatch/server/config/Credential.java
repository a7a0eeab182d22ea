// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import java.util.Set;

/**
 * A user of the HTTP interface.
 *
 * @param name the name; with basic authentication, the user name
 * @param role what the user may do
 * @param token whether the secret is a bearer token, else a password
 * @param secret where the secret is found
 * @param routes the only routes the user may see and change; empty for all
 */
public record Credential(
    String name, Role role, boolean token, SecretReference secret, Set<String> routes) {
  /** The longest name that can be kept with a changed message, and fits a log line. */
  static final int LONGEST_NAME = 100;

  public Credential {
    routes = Set.copyOf(routes);
  }
}
