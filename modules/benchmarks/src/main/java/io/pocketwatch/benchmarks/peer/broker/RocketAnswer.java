// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.Ledger;
import java.util.concurrent.Semaphore;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;

/** Tells the ledger what became of one message; only what is on the disk is confirmed. */
record RocketAnswer(Ledger ledger, Semaphore free) implements SendCallback {

  @Override
  public void onSuccess(SendResult result) {
    if (result.getSendStatus() == SendStatus.SEND_OK) {
      ledger.confirmed(1);
    } else {
      ledger.refused(result.getSendStatus().name());
    }
    free.release();
  }

  @Override
  public void onException(Throwable e) {
    ledger.refused(String.valueOf(e.getMessage()));
    free.release();
  }
}
