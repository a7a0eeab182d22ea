// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.BrokerUnreachableException;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.localbroker.BrokerNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A broker before 4.0 that has not enough file handles for a wheel waits for one, for ever. */
@Tag("wide")
class FewFileHandlesIT {
  @Test
  void is_told_from_a_broker_that_is_not_there() throws Exception {
    try (BrokerNode node = SharedNodes.own(SharedNodes.OLDEST)) {
      node.ctl("eval", "file_handle_cache:set_limit(300).");
      ConnectionFactory factory = node.connectionFactory();
      factory.setChannelRpcTimeout(3_000);

      DelayRoutes routes =
          DelayRoutes.builder()
              .defaults(
                  DelayRoute.defaults().toBuilder().strategy(DelayStrategy.QUEUE_WHEEL).build())
              .build();

      assertThatThrownBy(() -> DelayedPublisher.builder(factory).routes(routes).build())
          .isInstanceOf(BrokerUnreachableException.class)
          .hasMessageMatching(
              "connected to RabbitMQ at .*, but it stopped answering"
                  + " (at queue \\d+ of 271|after all 271 queues were there)\\."
                  + " RabbitMQ before 4\\.0 needs .* open-files limit");
    }
  }
}
