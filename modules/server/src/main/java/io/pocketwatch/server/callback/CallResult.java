// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import org.jspecify.annotations.Nullable;

/**
 * What became of a call.
 *
 * @param status the answer's HTTP status, or null if there was no whole answer
 * @param problem why it was not taken, or null if it was
 */
record CallResult(@Nullable Integer status, @Nullable String problem) {
  private static final int LEAST_GOOD = 200;
  private static final int LEAST_BAD = 300;

  static CallResult answered(int status) {
    boolean good = status >= LEAST_GOOD && status < LEAST_BAD;
    return new CallResult(status, good ? null : "HTTP status " + status);
  }

  static CallResult notAnswered(String problem) {
    return new CallResult(null, problem);
  }

  /** A call that was not taken, as listeners hear of it: these words alone. */
  static final class Failure extends Exception {
    private static final long serialVersionUID = 1L;

    Failure(String words) {
      super(words, null, false, false);
    }

    @Override
    public String toString() {
      return String.valueOf(getMessage());
    }
  }
}
