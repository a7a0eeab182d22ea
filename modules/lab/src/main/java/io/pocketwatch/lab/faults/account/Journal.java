// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a process did with each message, in a file. It outlives a killed process, because each line
 * is with the operating system before the next step. Thread-safe.
 */
public final class Journal implements AutoCloseable {
  /** What happened to a message or a copy of it. */
  public enum Step {
    /** About to be published; the time is the earliest instant it can be due. */
    TRIED,
    /** The broker or the store has it; the time is its instant, by the receipt. */
    CONFIRMED,
    /** The database has it; the time is its instant, or 0 if only a conflict of ids proved it. */
    STORED,
    REJECTED,
    UNCERTAIN,
    RETURNED,
    /** For good, with an exception; nothing should be. */
    REFUSED,
    /** Its outcome stays unknown: no answer came, and its sender cannot send it again. */
    GIVEN_UP,
    /** About to be moved; the time is its new instant. */
    MOVING,
    /** Moved to that instant, before anybody had handled it. */
    MOVED,
    /** Cancelled before anybody had handled it. */
    CANCELLED,
    /** Went to the handler. */
    DELIVERED,
    /** Its work was done before. */
    SKIPPED,
    /** Its handler wants it again later. */
    PUT_OFF,
    /** Put back on hold. */
    HELD_AGAIN,
    /** The store does not know it. */
    UNKNOWN,
    /** The store let it through, and only the unique key stopped a second effect. */
    SECOND_EFFECT,
    /** Came to the queue for what has no target. */
    PARKED
  }

  /**
   * One step.
   *
   * @param step what happened
   * @param millis when, or the instant it is about
   * @param id of the message
   */
  public record Line(Step step, long millis, String id) {
    static Line parse(String text) {
      String[] parts = text.split(" ", 3);
      return new Line(Step.valueOf(parts[0]), Long.parseLong(parts[1]), parts[2]);
    }

    @Override
    public String toString() {
      return step + " " + millis + " " + id;
    }
  }

  private final FileChannel file;

  private Journal(FileChannel file) {
    this.file = file;
  }

  public static Journal appendTo(Path file) throws IOException {
    return new Journal(
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  public synchronized void note(Step step, long millis, String id) {
    try {
      String line = new Line(step, millis, id) + "\n";
      file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
