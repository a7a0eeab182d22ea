// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.store.StoreEvent;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Returns what was held on a disk the broker has lost: it is nowhere but in the store. */
final class LostDisk {
  private static final Logger LOG = LoggerFactory.getLogger(LostDisk.class);
  private static final int BATCH = 1_000;

  private final LoaderContext work;

  LostDisk(LoaderContext work) {
    this.work = work;
  }

  /** Whether nothing is left in the store that a lost disk held, as far as one can know. */
  boolean look() {
    if (work.routes.hold().topology() != TopologyMode.DECLARE) {
      return true; // nobody knows of disks there
    }
    Optional<String> current = work.handOff.epoch();
    while (current.isPresent() && !work.stopping() && agreed(current.get())) {
      Optional<String> lost = work.store.lostEpoch(current.get());
      if (lost.isEmpty()) {
        return true;
      }
      if (returned(lost.get()) == 0) {
        return false;
      }
    }
    return false;
  }

  /** What this process knows may be of before the loss that another has noticed. */
  private boolean agreed(String epoch) {
    return work.store.epoch().filter(epoch::equals).isPresent();
  }

  private int returned(String epoch) {
    int count = work.store.returnHeldOf(epoch, BATCH);
    if (count > 0) {
      LOG.warn("{} messages held in epoch {} are loaded again: that disk is gone", count, epoch);
      work.listener.onEvent(new StoreEvent.EpochLost(epoch, count));
    }
    return count;
  }
}
