// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.Ranges;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * When messages go from the database to the broker, and what happens to those that do not arrive.
 */
public final class LoaderOptions {
  private final Builder values;

  private LoaderOptions(Builder builder) {
    values = builder.copy();
  }

  /**
   * The defaults: a run at 00:00 UTC with a lead of 1 h, and sweeps every 30 s. Leases last 2 min,
   * batches have 1,000 rows, and the rate has no limit. The grace is 2 min, the max silence 30 min,
   * the target patience 1 h, the retention 7 d.
   */
  public static LoaderOptions defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    return values.copy();
  }

  public LocalTime at() {
    return values.at;
  }

  public ZoneId zone() {
    return values.zone;
  }

  public @Nullable Duration every() {
    return values.every;
  }

  public Duration lead() {
    return values.lead;
  }

  public Duration sweep() {
    return values.sweep;
  }

  public Duration lease() {
    return values.lease;
  }

  public int batch() {
    return values.batch;
  }

  public @Nullable Integer rate() {
    return values.rate;
  }

  public Duration grace() {
    return values.grace;
  }

  public Duration maxSilence() {
    return values.maxSilence;
  }

  public Duration targetPatience() {
    return values.targetPatience;
  }

  public Duration retention() {
    return values.retention;
  }

  /** Sets options; the others keep their defaults. Not thread-safe. */
  public static final class Builder extends CopiedBuilder<Builder> {
    private LocalTime at = LocalTime.MIDNIGHT;
    private ZoneId zone = ZoneId.of("UTC");
    private @Nullable Duration every;
    private Duration lead = Duration.ofHours(1);
    private Duration sweep = Duration.ofSeconds(30);
    private Duration lease = Duration.ofMinutes(2);
    private int batch = 1_000;
    private @Nullable Integer rate;
    private Duration grace = Duration.ofMinutes(2);
    private Duration maxSilence = Duration.ofMinutes(30);
    private Duration targetPatience = Duration.ofHours(1);
    private Duration retention = Duration.ofDays(7);

    private Builder() {}

    /** The time of day of the nightly run. */
    public Builder at(LocalTime at) {
      this.at = at;
      return this;
    }

    /** The zone of {@link #at}. */
    public Builder zone(ZoneId zone) {
      this.zone = zone;
      return this;
    }

    /** The interval between runs, in place of the nightly run; 1 s to 1 d. */
    public Builder every(Duration every) {
      this.every = Ranges.within("every", every, "1s", "1d");
      return this;
    }

    /** How far beyond the next run each run loads, 0 s to 1 d. */
    public Builder lead(Duration lead) {
      this.lead = Ranges.within("lead", lead, "0s", "1d");
      return this;
    }

    /** The pause between sweeps, the small runs in between; 100 ms to 1 h. */
    public Builder sweep(Duration sweep) {
      this.sweep = Ranges.within("sweep", sweep, "100ms", "1h");
      return this;
    }

    /** How long a claim lasts, 5 s to 1 h. */
    public Builder lease(Duration lease) {
      this.lease = Ranges.within("lease", lease, "5s", "1h");
      return this;
    }

    /** The most rows of a route to claim at a time, 1 to 10,000. */
    public Builder batch(int batch) {
      this.batch = Ranges.within("batch", batch, 1, 10_000);
      return this;
    }

    /** The most messages a loader hands off per second, 1 to 1,000,000; unlimited unless set. */
    public Builder rate(int rate) {
      this.rate = Ranges.within("rate", rate, 1, 1_000_000);
      return this;
    }

    /**
     * How long after its instant a message that was sent may stay unsettled before recovery looks
     * at it, 1 s to 1 d.
     */
    public Builder grace(Duration grace) {
      this.grace = Ranges.within("grace", grace, "1s", "1d");
      return this;
    }

    /**
     * How long a route, or one of its consumers, may settle nothing, 1 s to 7 d. After that a few
     * of its overdue messages are sent again, as a probe.
     */
    public Builder maxSilence(Duration maxSilence) {
      this.maxSilence = Ranges.within("max-silence", maxSilence, "1s", "7d");
      return this;
    }

    /**
     * How long a due message waits for its target before it is parked, 1 s to 31 d. The target is
     * missing, or one of its queues refuses the message. With {@code tracking: full} a refused
     * message is not parked for that.
     */
    public Builder targetPatience(Duration targetPatience) {
      this.targetPatience = Ranges.within("target-patience", targetPatience, "1s", "31d");
      return this;
    }

    /**
     * How long finished messages are kept, 1 s to 3650 d, counted from when the last copy was due
     * if that is later. A copy that arrives after its row is deleted, out of a backlog, is handled
     * as an unknown message; its id may be used again. Messages stay until a loader has counted
     * them, which takes three minutes.
     */
    public Builder retention(Duration retention) {
      this.retention = Ranges.within("retention", retention, "1s", "3650d");
      return this;
    }

    public LoaderOptions build() {
      return new LoaderOptions(this);
    }
  }
}
