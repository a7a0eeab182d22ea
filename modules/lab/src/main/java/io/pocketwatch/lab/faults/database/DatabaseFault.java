// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import java.util.Locale;

/** What is done to the database of a round. */
public enum DatabaseFault {
  /** Its processes are killed (SIGKILL) and started again: it keeps what it has committed. */
  KILLED,
  /** It is stopped in an orderly way and started again: killed, it might forget commits. */
  RESTARTED,
  /** It is somebody else's, and is left alone. */
  NONE;

  /** As in the report. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
