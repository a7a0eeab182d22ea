// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

/** The rights of a user over HTTP. */
public enum Role {
  /** May read, and change nothing. */
  READ,
  /** May read and change. */
  WRITE
}
