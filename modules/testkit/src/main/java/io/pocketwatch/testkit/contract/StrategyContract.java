// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.testkit.Arrival;
import io.pocketwatch.testkit.Targets;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** What the parts of the delivery contract share. */
interface StrategyContract {
  /** Long enough to tell held from not held, one of {@link ContractSetup#DELAYS}. */
  Duration SHORT = Duration.ofMillis(300);

  String KEY = "invoice.paid";

  ContractSetup setup();

  @BeforeEach
  default void waitForOthers(TestInfo test) {
    turn(test).lock();
  }

  @AfterEach
  default void letOthersRun(TestInfo test) {
    turn(test).unlock();
  }

  private Lock turn(TestInfo test) {
    boolean alone = test.getTestMethod().orElseThrow().isAnnotationPresent(Alone.class);
    return alone ? setup().turns().writeLock() : setup().turns().readLock();
  }

  default Stream<DelayStrategy> strategies() {
    return setup().strategies().stream();
  }

  default Targets targets() throws IOException {
    return new Targets(setup().connection());
  }

  /** A message to that target's exchange with {@link #KEY}, held for a short while. */
  default DelayedMessage message(Target target, DelayStrategy strategy) {
    return DelayedMessage.to(target.exchange(), KEY).delay(SHORT).strategy(strategy);
  }

  /** Publishes it and waits for it at every queue of its target. */
  default List<Arrival> deliver(Target target, DelayedMessage message) {
    return target.awaitOnce(setup().publish(message));
  }
}
