// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks;

import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.peer.amqp.AmqpPeers;
import io.pocketwatch.benchmarks.peer.broker.BrokerPeers;
import io.pocketwatch.benchmarks.peer.memory.MemoryPeers;
import io.pocketwatch.benchmarks.peer.redis.RedisPeers;
import io.pocketwatch.benchmarks.peer.sql.SqlPeers;
import io.pocketwatch.benchmarks.subject.OurSubjects;
import io.pocketwatch.benchmarks.subject.PriceSubjects;
import io.pocketwatch.benchmarks.subject.StoreSubject;
import io.pocketwatch.benchmarks.suite.BacklogSuite;
import io.pocketwatch.benchmarks.suite.FanInSuite;
import io.pocketwatch.benchmarks.suite.LatenessSuite;
import io.pocketwatch.benchmarks.suite.LongRunSuite;
import io.pocketwatch.benchmarks.suite.StoreSuite;
import io.pocketwatch.benchmarks.suite.Suite;
import io.pocketwatch.benchmarks.suite.ThroughputSuite;
import java.util.List;
import java.util.stream.Stream;

/** Every suite and every subject, in the order in which tables show them. */
final class Catalogue {
  private Catalogue() {}

  static List<Suite> suites() {
    List<Subject> all = subjects();
    return List.of(
        ThroughputSuite.ofPeers(all),
        new LatenessSuite(all),
        new BacklogSuite(all),
        new FanInSuite(all),
        new LongRunSuite(all),
        ThroughputSuite.ofParts(PriceSubjects.all()),
        new StoreSuite(store()));
  }

  private static List<Subject> store() {
    return Stream.concat(
            Stream.of(
                OurSubjects.undelayed(),
                StoreSubject.tracked(),
                StoreSubject.trackedOnOneChannel(),
                StoreSubject.handoff()),
            SqlPeers.all().stream())
        .toList();
  }

  private static List<Subject> subjects() {
    return Stream.of(
            OurSubjects.all(),
            AmqpPeers.all(),
            SqlPeers.all(),
            RedisPeers.all(),
            BrokerPeers.all(),
            MemoryPeers.all())
        .flatMap(List::stream)
        .toList();
  }
}
