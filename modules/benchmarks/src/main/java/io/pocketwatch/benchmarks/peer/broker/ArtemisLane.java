// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;

/** A durable queue, sessions that send to it, and one that consumes. */
final class ArtemisLane implements Lane {
  private static final String QUEUE = "benchmarks";
  private static final int SENDERS = 4;

  /** Without a window the client passes no confirmations on. */
  private static final int CONFIRMATION_WINDOW_BYTES = 1 << 20;

  private final ServerLocator locator;
  private final ClientSession consuming;
  private final List<ArtemisSender> senders = new ArrayList<>();

  private ArtemisLane(ServerLocator locator, Ledger ledger) throws Exception {
    this.locator = locator;
    ClientSessionFactory receiving = locator.createSessionFactory();
    this.consuming = receiving.createSession(true, true);
    consuming.createQueue(
        QueueConfiguration.of(QUEUE).setRoutingType(RoutingType.ANYCAST).setDurable(true));
    consuming.createConsumer(QUEUE).setMessageHandler(message -> arrived(message, ledger));
    consuming.start();
    ClientSessionFactory sending = locator.createSessionFactory();
    for (int i = 0; i < SENDERS; i++) {
      senders.add(new ArtemisSender(sending.createSession(true, true), QUEUE, ledger));
    }
  }

  static ArtemisLane open(String url, Ledger ledger) throws Exception {
    ServerLocator locator = ActiveMQClient.createServerLocator(url);
    locator.setConfirmationWindowSize(CONFIRMATION_WINDOW_BYTES);
    locator.setBlockOnDurableSend(false);
    return new ArtemisLane(locator, ledger);
  }

  private static void arrived(ClientMessage message, Ledger ledger) {
    byte[] payload = new byte[Payload.BYTES];
    message.getBodyBuffer().readBytes(payload);
    ledger.arrived(Payload.number(payload));
    try {
      message.acknowledge();
    } catch (ActiveMQException e) {
      ledger.refused("not acknowledged: " + e.getMessage());
    }
  }

  @Override
  public void ask(int number, byte[] payload, long dueMillis) throws Exception {
    senders.get((int) (Thread.currentThread().getId() % SENDERS)).send(payload, dueMillis);
  }

  @Override
  public void close() throws Exception {
    for (ArtemisSender sender : senders) {
      sender.close();
    }
    consuming.close();
    try (ClientSessionFactory factory = locator.createSessionFactory();
        ClientSession session = factory.createSession(true, true)) {
      session.deleteQueue(QUEUE);
    } finally {
      locator.close();
    }
  }
}
