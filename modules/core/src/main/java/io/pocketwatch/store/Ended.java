// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

/** What became of an {@link Ending}. */
public enum Ended {
  /** It applies, now or, for a settle, since an earlier try. */
  APPLIED,
  /** The handling had ended, someone else took it over, or the message was cancelled or moved. */
  OVERTAKEN,
  /** Somebody else has locked the row. Ask again. */
  LOCKED
}
