// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

/** A call that was not taken, as listeners hear of it: these words alone. */
final class CallFailed extends Exception {
  private static final long serialVersionUID = 1L;

  CallFailed(String words) {
    super(words, null, false, false);
  }

  @Override
  public String toString() {
    return String.valueOf(getMessage());
  }
}
