// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.rabbitmq.client.Connection;
import io.pocketwatch.NativeHold;
import io.pocketwatch.config.DelayRoutes;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** What can be shown of a broker without a store. */
public interface BrokerSide {
  /** Names and sizes of what holds messages there. */
  DelayRoutes routes();

  /** A connection to the broker, which does not come back by itself. */
  Connection connect(String name) throws IOException, TimeoutException;

  /** Where that is: {@code broker} and {@code vhost}, and {@code name} if the server has one. */
  Map<String, String> place();

  String brokerVersion();

  /** The hold queues that take no messages, as far as somebody looks. */
  List<String> brokenHolds();

  /** Whether the broker holds messages by itself, as far as somebody has asked it. */
  NativeHold nativeHold();
}
