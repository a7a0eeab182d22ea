// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import java.io.IOException;

/** The broker has taken the connection, and stopped answering while it was being prepared. */
final class SilentBrokerException extends IOException {
  private static final long serialVersionUID = 1L;

  SilentBrokerException(String message, Throwable cause) {
    super(message, cause);
  }
}
