// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestInstance;

/**
 * The delivery contract: a delayed message arrives once, never early, where and as it was sent.
 *
 * <p>Extend it with a broker, a hold queue type and strategies; target queues of both types are
 * declared by the tests. Where JUnit's parallel execution is on, the tests of a class run side by
 * side: they mostly wait.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class DeliveryContract
    implements TimingContract,
        ContentContract,
        RoutingContract,
        TopicContract,
        NamesContract,
        SecondLifeContract {
  private @Nullable ContractSetup setup;

  /** To be called before the tests of each run. */
  protected final void begin(ContractSetup setup) {
    this.setup = setup;
  }

  /** To be called after the tests of each run. */
  protected final void end() throws IOException {
    if (setup != null) {
      setup.close();
      setup = null;
    }
  }

  /** What the current run is about. */
  @Override
  public final ContractSetup setup() {
    return Objects.requireNonNull(setup, "begin was not called");
  }
}
