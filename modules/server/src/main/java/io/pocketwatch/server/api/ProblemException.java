// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.time.Duration;

/** Ends a request with a problem. Ordinary, and therefore without a stack trace. */
final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;

  ProblemException(Problem problem) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
  }

  ProblemException(ProblemType type, String detail) {
    this(Problem.of(type, detail));
  }

  /**
   * @param pointer a JSON pointer into the body, or the name of a parameter
   */
  static ProblemException at(ProblemType type, String pointer, String detail) {
    return new ProblemException(Problem.of(type, detail).with("pointer", pointer));
  }

  /** There is no room for what it takes just now. */
  static ProblemException overloaded() {
    return new ProblemException(
        Problem.of(
                ProblemType.OVERLOADED,
                "other requests take all the memory there is for bodies"
                    + " (pocketwatch.server.limits.body-memory)")
            .retryAfter(Duration.ofSeconds(5)));
  }

  Problem problem() {
    return problem;
  }
}
