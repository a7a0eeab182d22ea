// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares this machine's clock with the store's. Loading does not depend on the machine's clock.
 * But where it is far off, logs, brokers and consumers on this machine are, too.
 */
final class ClockCheck {
  static final Duration WORTH_A_WARNING = Duration.ofSeconds(1);
  static final Duration TOO_MUCH = Duration.ofSeconds(30);
  private static final Logger LOG = LoggerFactory.getLogger(ClockCheck.class);

  private final LoaderContext work;
  private volatile Duration offset = Duration.ZERO;
  private boolean warned;

  ClockCheck(LoaderContext work) {
    this.work = work;
  }

  /** The store's time minus this machine's, as last measured. */
  Duration offset() {
    return offset;
  }

  boolean refused() {
    return offset.abs().compareTo(TOO_MUCH) > 0;
  }

  /** Measures, and says why nothing may be loaded, if so. */
  synchronized Optional<String> complaint() {
    offset = Duration.between(work.machine.instant(), work.handOff.now());
    boolean off = offset.abs().compareTo(WORTH_A_WARNING) > 0;
    if (off && !warned && !refused()) {
      LOG.warn("This machine's clock is {} ms off the store's", -offset.toMillis());
    }
    warned = off;
    return refused()
        ? Optional.of(
            "this machine's clock is %s ms off the store's; allowed: %s; set the clock right"
                .formatted(-offset.toMillis(), TOO_MUCH.toMillis()))
        : Optional.empty();
  }
}
