// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for what becomes of a message that was asked for without a consumer. */
final class SingleReceive extends DefaultConsumer {
  private static final Logger LOG = LoggerFactory.getLogger(SingleReceive.class);

  private final CompletableFuture<@Nullable Delivery> taken = new CompletableFuture<>();

  /** Whether it goes on waiting when one is not to be handled. */
  private final boolean anyOther;

  SingleReceive(Channel channel, boolean anyOther) {
    super(channel);
    this.anyOther = anyOther;
  }

  /**
   * Null if it is not to be handled.
   *
   * @throws IOException if that is not known
   */
  @Nullable Delivery await() throws IOException {
    try {
      return taken.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
    }
  }

  /**
   * Null if none came in time.
   *
   * @param timeout null to wait for ever
   */
  @Nullable Delivery await(@Nullable Duration timeout) throws IOException, InterruptedException {
    try {
      if (timeout == null) {
        taken.get();
      } else {
        taken.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (TimeoutException e) {
      taken.complete(null);
    } catch (ExecutionException e) {
      LOG.debug("None was taken", e);
    }
    return await();
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
