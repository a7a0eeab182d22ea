// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import org.springframework.amqp.AmqpException;

/**
 * Thrown when a message cannot be sent with the delay it asks for. Nothing was sent, unless the
 * text says {@code UNCERTAIN}: then the database or broker did not answer.
 */
public class DelayedSendException extends AmqpException {
  private static final long serialVersionUID = 1L;

  public DelayedSendException(String message) {
    super(message);
  }

  public DelayedSendException(String message, Throwable cause) {
    super(message, cause);
  }
}
