// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.spi.Planning;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The one implementation. */
final class FrameworkPlanning implements Planning {
  private final PublishPipeline walk;
  private final @Nullable RowPublisher stored;
  private final PocketwatchListener listener;

  FrameworkPlanning(
      PublishPipeline walk, @Nullable RowPublisher stored, PocketwatchListener listener) {
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
  public PublishPlan prepare(Submission submission, Connection connection) {
    return walk.prepareForOthers(submission, connection);
  }

  @Override
  public PublishPlan again(PublishPlan prepared, Submission submission) {
    return walk.again(prepared, submission);
  }
}
