// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

/** Why a message was not even tried. Its publish ends as rejected, with these words. */
public final class NothingSentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NothingSentException(String why) {
    super(why);
  }

  public NothingSentException(String why, Throwable cause) {
    super(why, cause);
  }
}
