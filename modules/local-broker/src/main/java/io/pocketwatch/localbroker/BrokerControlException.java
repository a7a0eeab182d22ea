// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import org.jspecify.annotations.Nullable;

/** Thrown if a node did not start, stop or carry out a command. */
public final class BrokerControlException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  BrokerControlException(String message) {
    super(message);
  }

  BrokerControlException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
