// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import io.pocketwatch.benchmarks.harness.Ground;

/** Where a subject runs. */
enum Place {
  ONE_NODE {
    @Override
    RabbitServer server(Ground ground) throws Exception {
      return RabbitServer.single(ground);
    }

    @Override
    int expectedPerSecond() {
      return 10_000;
    }
  },
  THREE_NODES {
    @Override
    RabbitServer server(Ground ground) throws Exception {
      return RabbitServer.cluster(ground);
    }

    @Override
    int expectedPerSecond() {
      return 2_000;
    }
  };

  abstract RabbitServer server(Ground ground) throws Exception;

  abstract int expectedPerSecond();
}
