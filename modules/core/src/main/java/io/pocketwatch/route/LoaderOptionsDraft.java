// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** Options on their way to being others, used by one thread. */
final class LoaderOptionsDraft {
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
