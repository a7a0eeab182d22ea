// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.Ranges;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How the messages of a route are kept in the database. */
public final class StorePolicy {
  private final Builder values;

  private StorePolicy(Builder builder) {
    values = builder.copy();
  }

  /** Tracking none, one consumer, no limit, weight 1. */
  public static StorePolicy defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    return values.copy();
  }

  /** Whether each message has a row, however soon it is due. */
  public boolean tracked() {
    return tracking() != Tracking.NONE;
  }

  public Tracking tracking() {
    return values.tracking;
  }

  public @Nullable Duration handoffBefore() {
    return values.handoffBefore;
  }

  public int consumers() {
    return values.consumers;
  }

  public @Nullable Integer insertLimit() {
    return values.insertLimit;
  }

  public int weight() {
    return values.weight;
  }

  /** Sets options; those not named keep their defaults. One thread uses it. */
  public static final class Builder extends CopiedBuilder<Builder> {
    private Tracking tracking = Tracking.NONE;
    private @Nullable Duration handoffBefore;
    private int consumers = 1;
    private @Nullable Integer insertLimit;
    private int weight = 1;

    private Builder() {}

    /** How long a row is kept. */
    public Builder tracking(Tracking tracking) {
      this.tracking = tracking;
      return this;
    }

    /**
     * Keeps the message in the database until this long before it is due, 1 s to 31 d. Otherwise it
     * is handed over as soon as it is within the horizon. It says nothing of {@code FULL}, which is
     * kept until it is due.
     */
    public Builder handoffBefore(Duration handoffBefore) {
      this.handoffBefore = Ranges.within("handoff-before", handoffBefore, "1s", "31d");
      return this;
    }

    /**
     * How many consumers must settle each message of a {@code FULL} route, 1 to 32: one per guarded
     * queue that gets a copy.
     */
    public Builder consumers(int consumers) {
      this.consumers = Ranges.within("consumers", consumers, 1, 32);
      return this;
    }

    /**
     * At most so many new rows per second and process, 1 to 1,000,000; above it the message is
     * rejected.
     */
    public Builder insertLimit(int insertLimit) {
      this.insertLimit = Ranges.within("insert-limit", insertLimit, 1, 1_000_000);
      return this;
    }

    /** This route's share when several have rows to load, 1 to 100. */
    public Builder weight(int weight) {
      this.weight = Ranges.within("weight", weight, 1, 100);
      return this;
    }

    public StorePolicy build() {
      return new StorePolicy(this);
    }
  }

  /** How long a database keeps a copy of each message of a route. */
  public enum Tracking {
    /**
     * A row is kept only while the message is due beyond the horizon. It is deleted when the broker
     * has confirmed the message.
     */
    NONE,
    /**
     * A message is tracked from scheduling until the broker has confirmed it; then its row is only
     * evidence. It can be cancelled and rescheduled until it is handed off. What the broker has is
     * lost with the broker's disk.
     */
    HANDOFF,
    /**
     * The store holds the message until it is due, and its row until every consumer has settled it.
     * All of that holds to the end, and an effect happens only once.
     */
    FULL
  }
}
