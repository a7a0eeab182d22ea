// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.LoadingStore;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoreException.WrongBrokerException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a publisher onto the broker to which its store's messages go, and onto no other. A copy of
 * production's database would otherwise send production's messages a second time. Thread-safe.
 */
public final class OwnBroker implements Consumer<BrokerIdentity> {
  private static final Logger LOG = LoggerFactory.getLogger(OwnBroker.class);

  private final LoadingStore store;

  private volatile @Nullable BrokerIdentity connected;

  /** The broker that the store names; kept, since the store may be away at a reconnect. */
  private volatile @Nullable BrokerIdentity known;

  public OwnBroker(LoadingStore store) {
    this.store = store;
  }

  /**
   * Checks a new connection. If the store does not answer, {@link #require} asks again.
   *
   * @throws WrongBrokerException if it is another broker
   */
  @Override
  public void accept(BrokerIdentity there) {
    connected = there;
    try {
      require();
    } catch (WrongBrokerException e) {
      throw e;
    } catch (StoreException e) {
      LOG.debug("The store does not say to which broker it belongs: {}", ErrorWords.of(e));
    }
  }

  /**
   * Checks before anything is stored or loaded. Costs nothing once the store has answered.
   *
   * @throws WrongBrokerException if we are connected to another broker
   * @throws StoreException if the store does not answer
   */
  public void require() {
    BrokerIdentity there = connected;
    if (there == null || there.equals(known)) {
      return;
    }
    BrokerIdentity own = store.noteBroker(there);
    if (!own.equals(there)) {
      throw new WrongBrokerException(own, there);
    }
    known = own;
  }
}
