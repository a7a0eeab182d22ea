// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

/** What somebody may do over HTTP. */
public enum Role {
  /** See, change nothing. */
  READ,
  /** See and change. */
  WRITE
}
