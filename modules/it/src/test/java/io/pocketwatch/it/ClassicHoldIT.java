// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.testkit.contract.ContractSetup;
import org.junit.jupiter.api.Tag;

/** The delivery contract with classic hold queues. */
@Tag("ci")
final class ClassicHoldIT extends VersionedContract {
  @Override
  ContractSetup open(ConnectionFactory factory) throws Exception {
    return ContractSetup.open(
        factory,
        ContractBrokers.smallHold(HoldQueues.classicAcceptingLoss()),
        DelayStrategy.TTL_QUEUE,
        DelayStrategy.QUEUE_WHEEL,
        DelayStrategy.TEMPORARY_QUEUE);
  }
}
