// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.internal.base.Ranges;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** The options of a {@link DeliveryGuard}. */
public final class GuardOptions {
  private final Builder values;

  private GuardOptions(Builder builder) {
    values = builder.copy();
  }

  /**
   * The defaults: a consumer has its queue's name, leases last a minute, and a message may come a
   * second early. The guard waits ten minutes for the store, and the prefetch is 250. Failed
   * messages go to the dead-letter exchange. The clock is the system's.
   */
  public static GuardOptions defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    return values.copy();
  }

  public @Nullable String consumer() {
    return values.consumer;
  }

  public Duration handlingLease() {
    return values.handlingLease;
  }

  public Duration earlyTolerance() {
    return values.earlyTolerance;
  }

  public OnStoreFailure onStoreFailure() {
    return values.onStoreFailure;
  }

  public Duration storePatience() {
    return values.storePatience;
  }

  public int prefetch() {
    return values.prefetch;
  }

  public boolean requeueFailed() {
    return values.requeueFailed;
  }

  public String namePrefix() {
    return values.namePrefix;
  }

  public InstantSource clock() {
    return values.clock;
  }

  static String requireConsumer(String consumer) {
    if (consumer.isBlank() || consumer.length() > 255) {
      throw new IllegalArgumentException(
          "consumer '%s' is %s characters long; allowed: 1 to 255"
              .formatted(consumer, consumer.length()));
    }
    if (consumer.endsWith(" ") || consumer.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "consumer '%s' ends with a blank or has a NUL, as no store can keep it; give the guard another name to settle under"
              .formatted(consumer));
    }
    return consumer;
  }

  /** Sets options; the others keep their defaults. Not thread-safe. */
  public static final class Builder implements Cloneable {
    private @Nullable String consumer;
    private Duration handlingLease = Duration.ofMinutes(1);
    private Duration earlyTolerance = Duration.ofSeconds(1);
    private OnStoreFailure onStoreFailure = OnStoreFailure.WAIT;
    private Duration storePatience = Duration.ofMinutes(10);
    private int prefetch = 250;
    private boolean requeueFailed;
    private String namePrefix = "pocketwatch";
    private InstantSource clock = InstantSource.system();

    private Builder() {}

    /**
     * The name to settle under, 1 to 255 characters without a blank at the end; by default that of
     * the queue. Queues that get a copy of the same message each need their own.
     */
    public Builder consumer(String consumer) {
      this.consumer = requireConsumer(consumer);
      return this;
    }

    /**
     * The lease of a handling, 1 s to 1 d: how long after a consumer's death others must wait. It
     * is renewed while the handler runs.
     */
    public Builder handlingLease(Duration handlingLease) {
      this.handlingLease = Ranges.within("handling-lease", handlingLease, "1s", "1d");
      return this;
    }

    /** How much before its instant a message may be handled, 0 to 1 h. */
    public Builder earlyTolerance(Duration earlyTolerance) {
      this.earlyTolerance = Ranges.within("early-tolerance", earlyTolerance, "0s", "1h");
      return this;
    }

    /** What to do while the store does not answer. */
    public Builder onStoreFailure(OnStoreFailure onStoreFailure) {
      this.onStoreFailure = onStoreFailure;
      return this;
    }

    /**
     * How long a message waits at its consumer for the store, or for a broker to hold it again, 1 s
     * to 1 d. Then the message goes back to its queue; while the store does not answer, nothing
     * more is consumed. The patience must stay below the broker's consumer timeout, 30 min unless
     * changed.
     */
    public Builder storePatience(Duration storePatience) {
      this.storePatience = Ranges.within("store-patience", storePatience, "1s", "1d");
      return this;
    }

    /**
     * The prefetch of consumers, 1 to 10,000. At a time no more messages are begun than were ended
     * in the last third of a lease, plus eight.
     */
    public Builder prefetch(int prefetch) {
      this.prefetch = Ranges.within("prefetch", prefetch, 1, 10_000);
      return this;
    }

    /**
     * Whether a message whose handler threw goes back to its queue, instead of to the queue's
     * dead-letter exchange. One that has gone back before comes again after 10 s.
     */
    public Builder requeueFailed(boolean requeueFailed) {
      this.requeueFailed = requeueFailed;
      return this;
    }

    /**
     * The prefix of our queues' names, as in the publisher's configuration. Their dead-letter
     * headers are hidden from handlers, which would else miscount their own retries.
     */
    public Builder namePrefix(String namePrefix) {
      this.namePrefix = namePrefix;
      return this;
    }

    /** The clock of a guard without a store; a guard with one goes by the store's clock. */
    public Builder clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    public GuardOptions build() {
      return new GuardOptions(this);
    }

    private Builder copy() {
      try {
        return (Builder) clone();
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** What to do with a tracked message that arrives while the store does not answer. */
  public enum OnStoreFailure {
    /** The message waits; its work is not done unchecked. */
    WAIT,
    /** The message is handled unchecked, also a cancelled, outdated or repeated copy. */
    DELIVER
  }
}
