// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.plan.Planning;
import io.pocketwatch.plan.PublishPlan;
import io.pocketwatch.plan.Submission;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The one implementation. */
final class OwnChannels implements Planning {
  private final MessageWalk walk;
  private final @Nullable Stored stored;
  private final PocketwatchListener listener;

  OwnChannels(MessageWalk walk, @Nullable Stored stored, PocketwatchListener listener) {
    this.walk = walk;
    this.stored = stored;
    this.listener = listener;
  }

  @Override
  public Submission accept(DelayedMessage message) {
    return walk.accept(message);
  }

  @Override
  public @Nullable String reasonToStore(Submission submission) {
    return stored == null ? null : stored.reasonToStore(submission);
  }

  @Override
  public CompletableFuture<PublishReceipt> store(Submission submission) {
    if (stored == null) {
      throw new IllegalStateException("this publisher was built without a store");
    }
    CompletableFuture<PublishReceipt> receipt = stored.store(submission);
    receipt.thenAccept(listener::published);
    return receipt;
  }

  @Override
  public PublishPlan prepare(Submission submission) {
    return walk.prepareForOthers(submission);
  }

  @Override
  public PublishPlan again(PublishPlan prepared, Submission submission) {
    return walk.again(prepared, submission);
  }
}
