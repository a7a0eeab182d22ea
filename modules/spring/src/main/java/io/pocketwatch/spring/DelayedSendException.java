// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import org.springframework.amqp.AmqpException;

/**
 * A message with a delay could not be sent as it was asked. Nothing was sent; if it says {@code
 * UNCERTAIN}, the database or broker did not answer whether it has the message.
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
