// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

/** This machine lacks what a subject needs; the message says what. The subject is left out. */
public final class NotHereException extends Exception {
  private static final long serialVersionUID = 1L;

  public NotHereException(String message) {
    super(message);
  }

  public NotHereException(String message, Throwable cause) {
    super(message, cause);
  }
}
