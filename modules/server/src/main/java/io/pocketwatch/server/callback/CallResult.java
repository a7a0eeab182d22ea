// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import org.jspecify.annotations.Nullable;

/**
 * The result of a call.
 *
 * @param status the answer's HTTP status, or null if there was no whole answer
 * @param problem why the target did not accept it, or null if it did
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

  /** A failed call as listeners see it: a message without a stack trace. */
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
