// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one request: its body, and objects made of it. It is given back when the answer has
 * been sent, so that slow clients count too.
 */
public final class RequestMemory {
  static final String ATTRIBUTE = RequestMemory.class.getName();

  private final Semaphore budget;
  private final AtomicInteger taken = new AtomicInteger();
  private byte @Nullable [] body = {};

  /**
   * @param budget the bytes that all requests together may still take
   */
  RequestMemory(Semaphore budget) {
    this.budget = budget;
  }

  /**
   * The memory of a request.
   *
   * @param attributes of the request
   */
  public static RequestMemory of(Function<String, @Nullable Object> attributes) {
    return (RequestMemory)
        Objects.requireNonNull(attributes.apply(ATTRIBUTE), "its body was not read");
  }

  /** Takes further bytes if there is room for them, else none. */
  public boolean take(long bytes) {
    if (bytes > Integer.MAX_VALUE || !budget.tryAcquire((int) bytes)) {
      return false;
    }
    taken.addAndGet((int) bytes);
    return true;
  }

  void arrived(byte @Nullable [] bytes) {
    body = bytes;
  }

  /** The request's body, which may be empty; null if it is larger than a body may be. */
  public byte @Nullable [] body() {
    return body;
  }

  /** Gives back all; the request may still wait for its turn, though it was refused already. */
  void giveBack() {
    body = null;
    budget.release(taken.getAndSet(0));
  }
}
