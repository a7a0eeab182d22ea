// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Options on their way to being others, used by one thread. */
final class GuardOptionsDraft {
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
