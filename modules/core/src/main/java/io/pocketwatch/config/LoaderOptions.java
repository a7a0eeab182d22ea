// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.DurationText;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * When messages move from the database to the broker, and what becomes of those that do not arrive.
 *
 * @param at the time of day of the nightly run
 * @param zone the zone of {@code at}
 * @param every another rhythm instead of the nightly one, 1 s to 1 d, or null
 * @param lead how far beyond the next run a run loads, 0 s to 1 d
 * @param sweep the pause between the small runs in between, 100 ms to 1 h
 * @param lease how long a claim lasts, 5 s to 1 h
 * @param batch rows claimed at a time and route, 1 to 10,000
 * @param rate at most so many messages handed off per second and loader, or null for no limit
 * @param grace how long after its instant a held message may be unsettled before anybody wonders, 1
 *     s to 1 d
 * @param maxSilence how long after which a route that settles nothing, or has a consumer that
 *     settles nothing, gets a small probe of its overdue messages, 1 s to 7 d
 * @param targetPatience how long a due message waits for a target that is missing, or of which a
 *     queue refuses it, before it is parked, 1 s to 31 d; with {@code tracking: full} one that is
 *     refused is not given up
 * @param retention how long finished messages stay before they become history, counted from when
 *     their last copy was due if that is later, 1 s to 3650 d. A copy that arrives after that, out
 *     of a backlog, is handled as one nobody knows
 * @param history how long they stay in the history after that, 1 s to 36500 d, or null for ever
 */
public record LoaderOptions(
    LocalTime at,
    ZoneId zone,
    @Nullable Duration every,
    Duration lead,
    Duration sweep,
    Duration lease,
    int batch,
    @Nullable Integer rate,
    Duration grace,
    Duration maxSilence,
    Duration targetPatience,
    Duration retention,
    @Nullable Duration history) {

  public LoaderOptions {
    if (every != null) {
      within("every", every, "1s", "1d");
    }
    within("lead", lead, "0s", "1d");
    within("sweep", sweep, "100ms", "1h");
    within("lease", lease, "5s", "1h");
    Ranges.require(batch >= 1 && batch <= 10_000, "batch " + batch, "1 to 10000");
    Ranges.require(rate == null || rate >= 1 && rate <= 1_000_000, "rate " + rate, "1 to 1000000");
    within("grace", grace, "1s", "1d");
    within("max-silence", maxSilence, "1s", "7d");
    within("target-patience", targetPatience, "1s", "31d");
    within("retention", retention, "1s", "3650d");
    if (history != null) {
      within("history", history, "1s", "36500d");
    }
  }

  /**
   * At 00:00 UTC with a lead of 1 h, a sweep every 30 s, leases of 2 min, batches of 1,000; a grace
   * of 2 min, probes after 30 min, an hour of patience for targets, a week of retention, 90 d of
   * history.
   */
  public static LoaderOptions defaults() {
    return new LoaderOptions(
        LocalTime.MIDNIGHT,
        ZoneId.of("UTC"),
        null,
        Duration.ofHours(1),
        Duration.ofSeconds(30),
        Duration.ofMinutes(2),
        1_000,
        null,
        Duration.ofMinutes(2),
        Duration.ofMinutes(30),
        Duration.ofHours(1),
        Duration.ofDays(7),
        Duration.ofDays(90));
  }

  public LoaderOptions withAt(LocalTime at, ZoneId zone) {
    return with(
        draft -> {
          draft.at = at;
          draft.zone = zone;
        });
  }

  public LoaderOptions withEvery(Duration every) {
    return with(draft -> draft.every = every);
  }

  public LoaderOptions withLead(Duration lead) {
    return with(draft -> draft.lead = lead);
  }

  public LoaderOptions withSweep(Duration sweep) {
    return with(draft -> draft.sweep = sweep);
  }

  public LoaderOptions withLease(Duration lease) {
    return with(draft -> draft.lease = lease);
  }

  public LoaderOptions withBatch(int batch) {
    return with(draft -> draft.batch = batch);
  }

  public LoaderOptions withRate(int rate) {
    return with(draft -> draft.rate = rate);
  }

  /** How long to wait before an overdue message, a silent route, a missing target counts. */
  public LoaderOptions withPatience(Duration grace, Duration maxSilence, Duration targetPatience) {
    return with(
        draft -> {
          draft.grace = grace;
          draft.maxSilence = maxSilence;
          draft.targetPatience = targetPatience;
        });
  }

  public LoaderOptions withRetention(Duration retention) {
    return with(draft -> draft.retention = retention);
  }

  /** Null keeps it for ever. */
  public LoaderOptions withHistory(@Nullable Duration history) {
    return with(draft -> draft.history = history);
  }

  private LoaderOptions with(Consumer<LoaderOptionsDraft> change) {
    LoaderOptionsDraft draft = new LoaderOptionsDraft(this);
    change.accept(draft);
    return draft.options();
  }

  private static void within(String key, Duration value, String least, String most) {
    boolean inRange =
        value.compareTo(DurationText.parse(least)) >= 0
            && value.compareTo(DurationText.parse(most)) <= 0;
    Ranges.require(inRange, key + " " + DurationText.format(value), least + " to " + most);
  }

  /** Options on their way to being others, used by one thread. */
  static final class LoaderOptionsDraft {
    LocalTime at;
    ZoneId zone;
    @Nullable Duration every;
    Duration lead;
    Duration sweep;
    Duration lease;
    int batch;
    @Nullable Integer rate;
    Duration grace;
    Duration maxSilence;
    Duration targetPatience;
    Duration retention;
    @Nullable Duration history;

    LoaderOptionsDraft(LoaderOptions options) {
      at = options.at();
      zone = options.zone();
      every = options.every();
      lead = options.lead();
      sweep = options.sweep();
      lease = options.lease();
      batch = options.batch();
      rate = options.rate();
      grace = options.grace();
      maxSilence = options.maxSilence();
      targetPatience = options.targetPatience();
      retention = options.retention();
      history = options.history();
    }

    LoaderOptions options() {
      return new LoaderOptions(
          at,
          zone,
          every,
          lead,
          sweep,
          lease,
          batch,
          rate,
          grace,
          maxSilence,
          targetPatience,
          retention,
          history);
    }
  }
}
