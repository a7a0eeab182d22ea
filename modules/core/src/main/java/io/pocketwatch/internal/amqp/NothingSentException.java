// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

/** Why a message was not even tried. Its publish ends as rejected, with these words. */
final class NothingSentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NothingSentException(String why) {
    super(why);
  }

  NothingSentException(String why, Throwable cause) {
    super(why, cause);
  }
}
