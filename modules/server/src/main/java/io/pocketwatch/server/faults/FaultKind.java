// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.util.Locale;

/** Whose process is killed (SIGKILL) and started again; see {@link DatabaseFault} for one. */
enum FaultKind {
  LOADER(3_000),
  BROKER(10_000),
  DATABASE(30_000),
  CONSUMER(15_000);

  private final int messagesPerKill;

  FaultKind(int messagesPerKill) {
    this.messagesPerKill = messagesPerKill;
  }

  /** How often it is killed in a run of so many messages unless somebody says otherwise. */
  int usualKills(long messages) {
    return (int) Math.max(1, messages / messagesPerKill);
  }

  /** As in the report. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What is done to it, before "the". */
  String verb(DatabaseFault database) {
    return this == DATABASE && database == DatabaseFault.RESTARTED ? "stop" : "kill";
  }
}
