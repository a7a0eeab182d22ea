// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Limits downloads of whole files: clients may be slow, and must leave room for other answers. */
public final class OpenFiles {
  static final int MOST = 4;
  static final int MOST_OF_ONE = 2;
  private static final Duration LATER = Duration.ofSeconds(10);

  private final Map<String, Integer> open = new HashMap<>();

  /**
   * Takes a place for one file.
   *
   * @param credential the caller's
   * @throws Problem if there is none
   */
  public synchronized Place take(String credential) {
    int ofAll = open.values().stream().mapToInt(Integer::intValue).sum();
    if (ofAll >= MOST || open.getOrDefault(credential, 0) >= MOST_OF_ONE) {
      throw Problem.of(
              ProblemType.RATE_LIMITED,
              "as many whole files are being sent as may be: %s, and %s of one credential"
                  .formatted(MOST, MOST_OF_ONE))
          .retryAfter(LATER);
    }
    open.merge(credential, 1, Integer::sum);
    return () -> giveBack(credential);
  }

  private synchronized void giveBack(String credential) {
    open.computeIfPresent(credential, (name, count) -> count == 1 ? null : count - 1);
  }

  /** Taken until it is closed. */
  @FunctionalInterface
  public interface Place extends AutoCloseable {
    @Override
    void close();
  }
}
