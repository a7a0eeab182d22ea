// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.internal.base.DurationText;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a guard decides.
 *
 * @param consumer the name to settle under, 1 to 255 characters without a blank at the end, or null
 *     for the queue's. Queues that get a copy of the same message each need their own
 * @param handlingLease how long after a consumer's death its message stays its own, 1 s to 1 d;
 *     renewed while the handler runs
 * @param earlyTolerance how much before its instant a message may be handled, 0 to 1 h
 * @param onStoreFailure what to do while the store does not answer
 * @param storePatience how long a message waits at its consumer for the store, or to be held again
 *     by a broker that does not take it, 1 s to 1 d. Then it goes back to its queue; while the
 *     store does not answer, nothing more is consumed. Must stay below the broker's consumer
 *     timeout, 30 min unless changed
 * @param prefetch how many messages the broker sends ahead, 1 to 10,000; of those no more are begun
 *     than were ended in the last third of a lease, and eight
 * @param requeueFailed whether a message whose handler threw goes back to its queue, instead of to
 *     the queue's dead-letter exchange; one that has been there before is held again for 10 s
 * @param namePrefix what the names of our queues begin with, as in the publisher's configuration:
 *     their dead-letter headers are kept from handlers, whose retries they would miscount
 * @param clock judges messages that are not tracked; tracked ones are on the store's
 */
public record GuardOptions(
    @Nullable String consumer,
    Duration handlingLease,
    Duration earlyTolerance,
    OnStoreFailure onStoreFailure,
    Duration storePatience,
    int prefetch,
    boolean requeueFailed,
    String namePrefix,
    InstantSource clock) {
  private static final Duration DAY = Duration.ofHours(24);

  public GuardOptions {
    if (consumer != null) {
      requireConsumer(consumer);
    }
    require(handlingLease, "handling-lease", Duration.ofSeconds(1), DAY);
    require(earlyTolerance, "early-tolerance", Duration.ZERO, Duration.ofHours(1));
    require(storePatience, "store-patience", Duration.ofSeconds(1), DAY);
    if (prefetch < 1 || prefetch > 10_000) {
      throw new IllegalArgumentException(
          "prefetch " + prefetch + " is out of range; allowed: 1 to 10000");
    }
  }

  /**
   * The queue's name, a lease of a minute, a second early, waits for the store up to ten minutes,
   * 250 messages ahead, failed ones to the dead-letter exchange, the system clock.
   */
  public static GuardOptions defaults() {
    return new GuardOptions(
        null,
        Duration.ofMinutes(1),
        Duration.ofSeconds(1),
        OnStoreFailure.WAIT,
        Duration.ofMinutes(10),
        250,
        false,
        "pocketwatch",
        InstantSource.system());
  }

  public GuardOptions withConsumer(@Nullable String consumer) {
    return with(draft -> draft.consumer = consumer);
  }

  public GuardOptions withHandlingLease(Duration handlingLease) {
    return with(draft -> draft.handlingLease = handlingLease);
  }

  public GuardOptions withEarlyTolerance(Duration earlyTolerance) {
    return with(draft -> draft.earlyTolerance = earlyTolerance);
  }

  public GuardOptions withOnStoreFailure(OnStoreFailure onStoreFailure) {
    return with(draft -> draft.onStoreFailure = onStoreFailure);
  }

  public GuardOptions withStorePatience(Duration storePatience) {
    return with(draft -> draft.storePatience = storePatience);
  }

  public GuardOptions withPrefetch(int prefetch) {
    return with(draft -> draft.prefetch = prefetch);
  }

  public GuardOptions withRequeueFailed(boolean requeueFailed) {
    return with(draft -> draft.requeueFailed = requeueFailed);
  }

  public GuardOptions withNamePrefix(String namePrefix) {
    return with(draft -> draft.namePrefix = namePrefix);
  }

  public GuardOptions withClock(InstantSource clock) {
    return with(draft -> draft.clock = clock);
  }

  private GuardOptions with(Consumer<GuardOptionsDraft> change) {
    GuardOptionsDraft draft = new GuardOptionsDraft(this);
    change.accept(draft);
    return draft.options();
  }

  static String requireConsumer(String consumer) {
    if (consumer.isBlank() || consumer.length() > 255) {
      throw new IllegalArgumentException(
          "consumer '%s' is %d characters long; allowed: 1 to 255"
              .formatted(consumer, consumer.length()));
    }
    if (consumer.endsWith(" ") || consumer.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "consumer '%s' ends with a blank or has a NUL, as no store can keep it; give the guard another name to settle under"
              .formatted(consumer));
    }
    return consumer;
  }

  private static void require(Duration value, String name, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "%s %s is out of range; allowed: %s to %s"
              .formatted(
                  name,
                  DurationText.format(value),
                  DurationText.format(least),
                  DurationText.format(most)));
    }
  }

  /** What becomes of a tracked message that arrives while the store does not answer. */
  public enum OnStoreFailure {
    /** It waits; its work is not done unchecked. */
    WAIT,
    /** It is handled unchecked: cancelled, outdated and repeated copies then are handled too. */
    DELIVER
  }

  /** Options on their way to being others, used by one thread. */
  static final class GuardOptionsDraft {
    @Nullable String consumer;
    Duration handlingLease;
    Duration earlyTolerance;
    OnStoreFailure onStoreFailure;
    Duration storePatience;
    int prefetch;
    boolean requeueFailed;
    String namePrefix;
    InstantSource clock;

    GuardOptionsDraft(GuardOptions options) {
      consumer = options.consumer();
      handlingLease = options.handlingLease();
      earlyTolerance = options.earlyTolerance();
      onStoreFailure = options.onStoreFailure();
      storePatience = options.storePatience();
      prefetch = options.prefetch();
      requeueFailed = options.requeueFailed();
      namePrefix = options.namePrefix();
      clock = options.clock();
    }

    GuardOptions options() {
      return new GuardOptions(
          consumer,
          handlingLease,
          earlyTolerance,
          onStoreFailure,
          storePatience,
          prefetch,
          requeueFailed,
          namePrefix,
          clock);
    }
  }
}
