// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.level;

/** What is measured. */
public enum Kind {
  /** Caches that a collection may clear, or not, make some megabytes. */
  HEAP("heap after a full collection", true, true, 8 * Kind.MEGABYTE),
  THREADS("threads", false, true, 3),
  FILES("open files and sockets", false, true, 6),
  /** Erlang's buffers come and go by some ten megabytes. */
  MEMORY("resident memory", true, true, 40 * Kind.MEGABYTE),
  PROCESSES("Erlang processes", false, true, 100),
  CONNECTIONS("connections", false, false, 2),
  CHANNELS("channels", false, false, 3),
  /** Temporary ones are among them, whose number is a matter of chance. */
  QUEUES("queues", false, false, 30),
  MESSAGES("messages", false, false, 100),
  ROWS("rows that are not finished", false, false, 50);

  static final long MEGABYTE = 1 << 20;

  private final String words;
  private final boolean bytes;
  private final boolean ofProcess;
  private final long slack;

  Kind(String words, boolean bytes, boolean ofProcess, long slack) {
    this.words = words;
    this.bytes = bytes;
    this.ofProcess = ofProcess;
    this.slack = slack;
  }

  String words() {
    return words;
  }

  boolean bytes() {
    return bytes;
  }

  /** Whether it begins anew with the process: then two lives cannot be compared. */
  boolean ofProcess() {
    return ofProcess;
  }

  /** Whether it is kept for a while after use, so that a short run shows nothing but its rise. */
  boolean kept() {
    return this == QUEUES || this == PROCESSES;
  }

  /** What may be more without being growth, where a tenth is less. */
  long slack() {
    return slack;
  }
}
