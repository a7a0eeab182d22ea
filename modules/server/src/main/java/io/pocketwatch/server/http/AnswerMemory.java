// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The memory of all answers together: an eighth of the heap. A reader of rows takes room for the
 * largest possible ones before it asks the store. It gives back surplus room at once, and the rest
 * when the answer has been sent, so that slow clients count too.
 */
public final class AnswerMemory {
  private static final int SHARE_OF_HEAP = 8;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final int most;

  /** Fair: a large answer has its turn among small ones. */
  private final Semaphore free;

  public AnswerMemory() {
    this(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
  }

  public AnswerMemory(long bytes) {
    this.most = (int) Math.min(Integer.MAX_VALUE, bytes);
    this.free = new Semaphore(most, true);
  }

  /**
   * Waits for room.
   *
   * @param what it is for, as the beginning of a sentence
   * @throws Problem if there is none within 5 s, or if it is more than there is in all
   */
  public Room take(long bytes, String what) {
    if (bytes > most) {
      throw Problem.of(
          ProblemType.TOO_LARGE,
          "%s may take %s bytes of memory, and this server has %s for answers, an eighth of its heap"
              .formatted(what, bytes, most));
    }
    try {
      if (free.tryAcquire((int) bytes, LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        return new Room((int) bytes);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw Problem.of(
            ProblemType.OVERLOADED,
            "other answers take all the memory there is for them, an eighth of the heap")
        .retryAfter(LONGEST_WAIT);
  }

  /** The room of one answer. Not thread-safe. */
  public final class Room implements AutoCloseable {
    private int bytes;

    private Room(int bytes) {
      this.bytes = bytes;
    }

    /** Gives back all but the needed bytes. */
    public void keep(long needed) {
      int rest = (int) Math.max(0, bytes - needed);
      bytes -= rest;
      free.release(rest);
    }

    @Override
    public void close() {
      keep(0);
    }
  }
}
