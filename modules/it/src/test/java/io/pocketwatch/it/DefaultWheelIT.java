// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.testkit.contract.ContractSetup;
import org.junit.jupiter.api.Tag;

/** The delivery contract with the wheel as it is unless configured: 31 days, 271 queues. */
@Tag("wide")
final class DefaultWheelIT extends VersionedContract {
  @Override
  ContractSetup open(ConnectionFactory factory) throws Exception {
    return ContractSetup.open(factory, HoldOptions.defaults(), DelayStrategy.QUEUE_WHEEL);
  }
}
