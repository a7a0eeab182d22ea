// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import io.pocketwatch.BrokerClock;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.store.HandOffResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what a listener throws away from the message it was told of. */
final class SafeListener implements PocketwatchListener {
  private static final Logger LOG = LoggerFactory.getLogger(SafeListener.class);

  private final PocketwatchListener listener;

  private SafeListener(PocketwatchListener listener) {
    this.listener = listener;
  }

  /** {@link #NONE} stays itself, so that nobody tells it anything. */
  static PocketwatchListener of(PocketwatchListener listener) {
    return listener == NONE ? NONE : new SafeListener(listener);
  }

  @Override
  public void published(PublishReceipt receipt) {
    tell(() -> listener.published(receipt));
  }

  @Override
  public void handedOff(HandOffResult result) {
    tell(() -> listener.handedOff(result));
  }

  @Override
  public void brokerClock(BrokerClock clock) {
    tell(() -> listener.brokerClock(clock));
  }

  @Override
  public void nativeHold(NativeHold hold) {
    tell(() -> listener.nativeHold(hold));
  }

  private static void tell(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | LinkageError e) { // one of another version, perhaps
      LOG.warn("A listener threw", e);
    }
  }
}
