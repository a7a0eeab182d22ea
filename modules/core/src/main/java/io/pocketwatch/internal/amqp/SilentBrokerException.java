// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import java.io.IOException;

/** The broker accepted the connection, but stopped answering while it was being prepared. */
public final class SilentBrokerException extends IOException {
  private static final long serialVersionUID = 1L;

  /** AMQP does not say that a broker is out of file handles; the broker just waits for one. */
  private static final String HINT =
      ". RabbitMQ before 4.0 needs two to three file handles for each quorum queue, about 600"
          + " for a wheel. Look at its open-files limit";

  /**
   * @param when the rest of a sentence that begins with "it stopped answering"
   */
  public SilentBrokerException(String when, Throwable cause) {
    super("it stopped answering " + when + HINT, cause);
  }
}
