// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

/** What somebody may do over HTTP. */
public enum Role {
  /** See everything, change nothing. */
  READ,
  /** See and change everything. */
  WRITE
}
