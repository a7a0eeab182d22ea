// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import java.util.Set;

/**
 * Somebody who may use the HTTP interface.
 *
 * @param name theirs; with basic authentication the user name
 * @param role what they may
 * @param token whether the secret is a bearer token, else a password
 * @param secret where it is
 * @param routes the only ones they see and change; empty for all
 */
public record Credential(
    String name, Role role, boolean token, SecretReference secret, Set<String> routes) {
  /** As long as what is kept with a changed message, and what a log line bears. */
  static final int LONGEST_NAME = 100;

  public Credential {
    routes = Set.copyOf(routes);
  }
}
