// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import java.io.IOException;

/** The broker has taken the connection, and stopped answering while it was being prepared. */
public final class SilentBrokerException extends IOException {
  private static final long serialVersionUID = 1L;

  /** AMQP does not tell how many file handles a broker has left; it only waits for one. */
  private static final String HINT =
      ". RabbitMQ before 4.0 needs two to three file handles for each quorum queue, about 600"
          + " for a wheel. Look at its open-files limit";

  /**
   * @param when after "it stopped answering"
   */
  public SilentBrokerException(String when, Throwable cause) {
    super("it stopped answering " + when + HINT, cause);
  }
}
