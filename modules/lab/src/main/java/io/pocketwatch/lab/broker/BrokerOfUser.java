// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.broker;

import io.pocketwatch.localbroker.DetachedBroker;
import io.pocketwatch.server.broker.DefaultBroker;
import io.pocketwatch.server.broker.NamedBroker;
import java.util.Optional;

/** The one of {@code pocketwatch broker start}. */
public final class BrokerOfUser implements DefaultBroker {
  @Override
  public Optional<NamedBroker> running() {
    return DetachedBroker.ofUser().running().map(BrokerChoice::named);
  }
}
