// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.Ranges;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * When messages move from the database to the broker, and what becomes of those that do not arrive.
 */
public final class LoaderOptions {
  private final Builder values;

  private LoaderOptions(Builder builder) {
    values = builder.copy();
  }

  /**
   * Runs are at 00:00 UTC with a lead of 1 h, and sweeps every 30 s, with leases of 2 min and
   * batches of 1,000. Recovery has a grace of 2 min and probes after 30 min; targets have an hour
   * of patience. Finished messages stay a week.
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

  /** Sets options; those not named keep their defaults. One thread uses it. */
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

    /** Another rhythm instead of the nightly one, 1 s to 1 d. */
    public Builder every(Duration every) {
      this.every = Ranges.within("every", every, "1s", "1d");
      return this;
    }

    /** How far beyond the next run a run loads, 0 s to 1 d. */
    public Builder lead(Duration lead) {
      this.lead = Ranges.within("lead", lead, "0s", "1d");
      return this;
    }

    /** The pause between the small runs in between, 100 ms to 1 h. */
    public Builder sweep(Duration sweep) {
      this.sweep = Ranges.within("sweep", sweep, "100ms", "1h");
      return this;
    }

    /** How long a claim lasts, 5 s to 1 h. */
    public Builder lease(Duration lease) {
      this.lease = Ranges.within("lease", lease, "5s", "1h");
      return this;
    }

    /** Rows claimed at a time and route, 1 to 10,000. */
    public Builder batch(int batch) {
      this.batch = Ranges.within("batch", batch, 1, 10_000);
      return this;
    }

    /** At most so many messages handed off per second and loader, 1 to 1,000,000. */
    public Builder rate(int rate) {
      this.rate = Ranges.within("rate", rate, 1, 1_000_000);
      return this;
    }

    /**
     * How long after its instant a message that was sent may be unsettled before anybody wonders, 1
     * s to 1 d.
     */
    public Builder grace(Duration grace) {
      this.grace = Ranges.within("grace", grace, "1s", "1d");
      return this;
    }

    /**
     * How long a route, or one of its consumers, may settle nothing, 1 s to 7 d. Then the route
     * gets a small probe of its overdue messages.
     */
    public Builder maxSilence(Duration maxSilence) {
      this.maxSilence = Ranges.within("max-silence", maxSilence, "1s", "7d");
      return this;
    }

    /**
     * How long a due message waits for a target before it is parked, 1 s to 31 d. The target is
     * missing, or one of its queues refuses the message. With {@code tracking: full} a refused
     * message is not given up.
     */
    public Builder targetPatience(Duration targetPatience) {
      this.targetPatience = Ranges.within("target-patience", targetPatience, "1s", "31d");
      return this;
    }

    /**
     * How long finished messages stay before they are deleted, 1 s to 3650 d. It counts from when
     * the last copy was due if that is later. A copy that arrives afterwards, out of a backlog, is
     * handled as an unknown one, and its id may be used again. They stay until a loader has counted
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
