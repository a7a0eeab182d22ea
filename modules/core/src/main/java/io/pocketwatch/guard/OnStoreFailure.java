// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

/** What becomes of a tracked message that arrives while the store does not answer. */
public enum OnStoreFailure {
  /** It waits; its work is not done unchecked. */
  WAIT,
  /** It is handled unchecked: cancelled, outdated and repeated copies then are handled too. */
  DELIVER
}
