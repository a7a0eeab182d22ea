// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.testkit.Broker44;
import io.pocketwatch.testkit.contract.ContractSetup;
import io.pocketwatch.testkit.contract.DeliveryContract;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The delivery contract where RabbitMQ holds the messages by itself. */
final class DeliveryTimeContractIT {
  /** A report counts tests that are skipped, not classes: this one stands for all. */
  @Test
  void the_broker_is_there_to_be_tested() {
    Broker44.required();
  }

  @Nested
  @ParameterizedClass(name = "RabbitMQ {0}", allowZeroInvocations = true)
  @MethodSource("io.pocketwatch.testkit.Broker44#names")
  final class Contract extends DeliveryContract {
    @Parameter String version;

    @BeforeParameterizedClassInvocation
    void begin() throws IOException, TimeoutException {
      String prefix = "dt-" + UUID.randomUUID().toString().substring(0, 8);
      begin(
          ContractSetup.open(
              Broker44.required(),
              ContractBrokers.smallHold(HoldQueues.quorum()).toBuilder().namePrefix(prefix).build(),
              DelayStrategy.DELIVERY_TIME));
    }

    @AfterParameterizedClassInvocation
    void close() throws IOException {
      end();
    }
  }
}
