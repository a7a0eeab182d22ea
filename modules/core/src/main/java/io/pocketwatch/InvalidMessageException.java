// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * The message cannot be sent as it is: a delay beyond every limit, a malformed {@code CC},
 * oversized headers, a {@code user-id} that is not the connection's. It is found before anything is
 * sent, since the broker would close the channel, and with it fail other messages.
 */
public final class InvalidMessageException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  private final String id;

  public InvalidMessageException(String id, String problem) {
    super("message " + id + ": " + problem);
    this.id = id;
  }

  public InvalidMessageException(String id, String problem, Throwable cause) {
    super("message " + id + ": " + problem, cause);
    this.id = id;
  }

  /** The id under which the message was to be sent. */
  public String id() {
    return id;
  }
}
