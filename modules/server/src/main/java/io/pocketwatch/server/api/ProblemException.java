// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

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

  Problem problem() {
    return problem;
  }
}
