// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.testkit.contract.ContractSetup;
import io.pocketwatch.testkit.contract.DeliveryContract;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The delivery contract with the delayed-message plugin, for each version it is there for. */
final class DelayedExchangeIT {
  private static final String PLUGIN = "rabbitmq_delayed_message_exchange";
  private static final String FOLDERS = "POCKETWATCH_BROKER_PLUGINS";

  @BeforeAll
  static void sayWhatIsNotTested() {
    List<String> without = candidates().filter(version -> !hasPlugin(version)).toList();
    if (!without.isEmpty()) {
      System.err.printf(
          "DELAYED_EXCHANGE IS NOT TESTED on RabbitMQ %s: no folder in %s or %s_<version> holds a"
              + " %s for it%n",
          String.join(", ", without), FOLDERS, FOLDERS, PLUGIN);
    }
  }

  /** A report counts tests that are skipped, not classes: this one stands for all of a version. */
  @ParameterizedTest(name = "RabbitMQ {0}")
  @MethodSource("candidates")
  void the_plugin_is_there_to_be_tested(String version) {
    Assumptions.assumeTrue(hasPlugin(version), "no " + PLUGIN + " for RabbitMQ " + version);
  }

  /** The versions asked for, and those for which the plugin has been released. */
  static Stream<String> candidates() {
    return Stream.concat(ContractBrokers.versions(), Stream.of("3.10", "4.0")).distinct();
  }

  static Stream<String> versions() {
    return candidates().filter(DelayedExchangeIT::hasPlugin);
  }

  /** A folder for one version may hold any release of the plugin, one for all must name its own. */
  private static boolean hasPlugin(String version) {
    return holds(FOLDERS + "_" + version.replace('.', '_'), PLUGIN)
        || holds(FOLDERS, PLUGIN + "-" + version + ".");
  }

  private static boolean holds(String variable, String beginning) {
    return Stream.ofNullable(System.getenv(variable))
        .flatMap(folders -> Stream.of(folders.split(File.pathSeparator)))
        .map(folder -> new File(folder).list((parent, name) -> name.startsWith(beginning)))
        .anyMatch(found -> found != null && found.length > 0);
  }

  /** Each version on a node of its own. */
  @Nested
  @ParameterizedClass(name = "RabbitMQ {0}", allowZeroInvocations = true)
  @MethodSource("io.pocketwatch.it.DelayedExchangeIT#versions")
  final class Contract extends DeliveryContract {
    @Parameter String version;
    private @Nullable BrokerNode node;

    @BeforeParameterizedClassInvocation
    void begin() throws IOException, TimeoutException {
      node =
          LocalBroker.find(
              LocalBrokerOptions.defaults()
                  .withVersion(version)
                  .withControllable(true)
                  .withPlugins(List.of(PLUGIN)));
      begin(
          ContractSetup.open(
              node.connectionFactory(),
              ContractBrokers.smallHold(HoldQueues.quorum()),
              DelayStrategy.DELAYED_EXCHANGE));
    }

    @AfterParameterizedClassInvocation
    void close() throws IOException {
      end();
      if (node != null) {
        node.close();
      }
    }
  }
}
