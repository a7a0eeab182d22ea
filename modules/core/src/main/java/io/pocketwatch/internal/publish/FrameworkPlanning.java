// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.spi.Planning;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;

/** The one implementation. */
record FrameworkPlanning(PublishPipeline pipeline, InstantSource clock) implements Planning {
  @Override
  public Submission accept(DelayedMessage message) {
    return pipeline.accept(message);
  }

  @Override
  public CompletableFuture<PublishReceipt> publish(Submission submission) {
    return pipeline.start(submission);
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public PublishPlan prepare(Submission submission, Connection connection) {
    return pipeline.prepareForOthers(submission, connection);
  }

  @Override
  public PublishPlan again(PublishPlan prepared, Submission submission) {
    return pipeline.again(prepared, submission);
  }
}
