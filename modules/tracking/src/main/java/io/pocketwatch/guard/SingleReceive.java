// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for what becomes of a message that was asked for without a consumer. */
final class SingleReceive extends DefaultConsumer {
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  private final CompletableFuture<@Nullable Delivery> taken = new CompletableFuture<>();

  private final Scheduler time;

  /** Whether it goes on waiting when one is not to be handled. */
  private final boolean anyOther;

  SingleReceive(Channel channel, Scheduler time, boolean anyOther) {
    super(channel);
    this.time = time;
    this.anyOther = anyOther;
  }

  /**
   * Null if it is not to be handled.
   *
   * @throws IOException if that is not known
   */
  @Nullable Delivery await() throws IOException {
    try {
      return await(null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the store was asked", e);
    }
  }

  /**
   * Null if none came in time.
   *
   * @param timeout null to wait for ever
   */
  @Nullable Delivery await(@Nullable Duration timeout) throws IOException, InterruptedException {
    try {
      return time.await(taken, timeout == null ? FOR_EVER : timeout);
    } catch (TimeoutException e) {
      return taken.complete(null) ? null : taken.join(); // it may have come just now
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
    }
  }

  @Override
  public void handleDelivery(
      String tag, Envelope envelope, BasicProperties properties, byte[] body) {
    take(new Delivery(envelope, properties, body));
  }

  /** False if nobody waits for it any more. */
  boolean take(Delivery delivery) {
    return taken.complete(delivery);
  }

  void gone(Arrival arrived) {
    Throwable why = arrived.problem;
    if (why == null && !anyOther) {
      taken.complete(null);
    } else if (why != null) {
      taken.completeExceptionally(
          new IOException(
              "%s is not taken from %s: %s"
                  .formatted(arrived, arrived.subscription().queue(), ErrorWords.of(why)),
              why));
    }
  }

  @Override
  public void handleCancel(String tag) {
    taken.completeExceptionally(new IOException("the broker has cancelled the consumer"));
  }

  @Override
  public void handleShutdownSignal(String tag, ShutdownSignalException cause) {
    taken.completeExceptionally(new IOException(cause));
  }
}
