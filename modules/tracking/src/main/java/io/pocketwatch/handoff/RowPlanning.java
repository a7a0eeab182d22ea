// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.handoff;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.internal.plan.Submission;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Decides which messages are stored, for a framework that publishes on its own channels. */
public interface RowPlanning {
  /** Why the message gets a row in the store, or null if it goes to the broker. It does no I/O. */
  @Nullable String reasonToStore(Submission submission);

  /**
   * Stores a message for which {@link #reasonToStore} is not null. Completes as {@link
   * DelayedPublisher#publish} does, when the database has committed or refused it.
   */
  CompletableFuture<PublishReceipt> store(Submission submission);
}
