// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.connection.CorrelationData;

/**
 * A message on its way through the template, with its id and its instant, which must not change if
 * the template tries it again. Shares the caller's properties: Spring writes the publish sequence
 * number there, for the caller to read, and tracing adds headers until it is sent.
 */
final class IdentifiedMessage extends Message {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable Submission submission;
  private final transient boolean stored;
  private final transient @Nullable CorrelationData correlationData;

  /** The plan whose temporary queue an earlier attempt declared; at most one for each id. */
  private transient @Nullable PublishPlan temporary;

  /**
   * @param submission null if it is not delayed
   * @param stored whether it goes to the store instead of to a channel
   */
  IdentifiedMessage(
      Message message,
      @Nullable Submission submission,
      boolean stored,
      @Nullable CorrelationData correlationData) {
    super(message.getBody(), message.getMessageProperties());
    this.submission = submission;
    this.stored = stored;
    this.correlationData = correlationData;
  }

  /** This message with the properties of another attempt: a request is correlated anew. */
  IdentifiedMessage again(Message message) {
    IdentifiedMessage again = new IdentifiedMessage(message, submission, stored, correlationData);
    again.temporary = temporary;
    return again;
  }

  @Nullable Submission submission() {
    return submission;
  }

  boolean isStored() {
    return stored;
  }

  @Nullable CorrelationData correlationData() {
    return correlationData;
  }

  @Nullable PublishPlan temporary() {
    return temporary;
  }

  void temporary(PublishPlan plan) {
    this.temporary = plan;
  }

  /**
   * A message that waits for its reply. Spring sets its reply address and correlation in each
   * attempt of a retry, on the properties it shares with the caller's message.
   */
  static final class Request extends Message {
    private static final long serialVersionUID = 1L;

    private transient @Nullable IdentifiedMessage identified;

    Request(Message message) {
      super(message.getBody(), message.getMessageProperties());
    }

    /** The message as of the latest attempt; null before the first. */
    @Nullable IdentifiedMessage identified() {
      return identified;
    }

    void identified(IdentifiedMessage identified) {
      this.identified = identified;
    }
  }
}
