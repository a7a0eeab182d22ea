// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.Ledger;
import java.util.concurrent.Semaphore;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.SendAcknowledgementHandler;

/** A session with a bounded number of unconfirmed messages; the answers go to the ledger. */
final class ArtemisSender implements SendAcknowledgementHandler {
  private static final int IN_FLIGHT = 500;

  private final ClientSession session;
  private final ClientProducer producer;
  private final Ledger ledger;
  private final Semaphore free = new Semaphore(IN_FLIGHT);

  ArtemisSender(ClientSession session, String queue, Ledger ledger) throws ActiveMQException {
    this.session = session;
    this.producer = session.createProducer(queue);
    this.ledger = ledger;
  }

  void send(byte[] payload, long dueMillis) throws ActiveMQException, InterruptedException {
    free.acquire();
    synchronized (this) {
      ClientMessage message = session.createMessage(true);
      message.putLongProperty(Message.HDR_SCHEDULED_DELIVERY_TIME, dueMillis);
      message.getBodyBuffer().writeBytes(payload);
      producer.send(message, this);
    }
  }

  @Override
  public void sendAcknowledged(Message message) {
    ledger.confirmed(1);
    free.release();
  }

  @Override
  public void sendFailed(Message message, Exception e) {
    ledger.refused(String.valueOf(e.getMessage()));
    free.release();
  }

  void close() throws ActiveMQException {
    session.close();
  }
}
