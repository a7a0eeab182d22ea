// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.rabbitmq.client.Connection;
import io.pocketwatch.NativeHold;
import io.pocketwatch.config.DelayRoutes;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** The view of a broker that needs no store. */
public interface BrokerSide {
  /** The routes, which give names and sizes of the hold queues. */
  DelayRoutes routes();

  /** Opens a connection to the broker, without automatic recovery. */
  Connection connect(String name) throws IOException, TimeoutException;

  /** Names the place: {@code broker} and {@code vhost}, and {@code name} if the server has one. */
  Map<String, String> place();

  String brokerVersion();

  /** The hold queues that take no messages, if a watch looks for them. */
  List<String> brokenHolds();

  /** Whether the broker holds messages natively, as far as it was asked. */
  NativeHold nativeHold();
}
