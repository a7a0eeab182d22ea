// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What one request has in memory: its body, and what is made of it. It is given back when the
 * answer has been sent, so that slow readers count too.
 */
public final class RequestMemory {
  static final String ATTRIBUTE = RequestMemory.class.getName();

  private final MemoryBudget budget;
  private final AtomicLong taken = new AtomicLong();
  private byte @Nullable [] body = {};

  RequestMemory(MemoryBudget budget) {
    this.budget = budget;
  }

  /**
   * That of a request.
   *
   * @param attributes of the request
   */
  public static RequestMemory of(Function<String, @Nullable Object> attributes) {
    return (RequestMemory)
        Objects.requireNonNull(attributes.apply(ATTRIBUTE), "the reception did not run");
  }

  /** Whether there is room for so many more bytes. */
  public boolean take(long bytes) {
    boolean room = budget.take(bytes);
    if (room) {
      taken.addAndGet(bytes);
    }
    return room;
  }

  void arrived(byte[] bytes) {
    body = bytes;
  }

  void tooLarge() {
    body = null;
  }

  /** The request's body, which may be empty; null if it is larger than a body may be. */
  public byte @Nullable [] body() {
    return body;
  }

  void giveBack() {
    budget.giveBack(taken.getAndSet(0));
  }
}
