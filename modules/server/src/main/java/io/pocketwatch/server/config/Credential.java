// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

/**
 * Somebody who may use the HTTP interface.
 *
 * @param name theirs; with basic authentication the user name
 * @param role what they may
 * @param token whether the secret is a bearer token, else a password
 * @param secret where it is
 */
public record Credential(String name, Role role, boolean token, SecretReference secret) {}
