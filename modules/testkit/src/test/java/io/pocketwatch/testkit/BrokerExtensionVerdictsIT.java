// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.rabbitmq.client.Connection;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** What becomes of a test class when its broker is not as it should be. */
@Tag("ci")
class BrokerExtensionVerdictsIT {

  /** Asks for what no source has. */
  static class WithoutABroker {
    @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("9.9");

    @Test
    void never_runs() {
      throw new AssertionError("ran without a broker");
    }
  }

  /** Asks for a plugin no folder holds. */
  static class WithoutAPlugin {
    @RegisterExtension
    static final BrokerExtension broker =
        BrokerExtension.version("4.3").requirePlugin("rabbitmq_no_such_plugin");

    @Test
    void never_runs() {
      throw new AssertionError("ran without the plugin");
    }
  }

  /** Forgets to close a connection. */
  static class Leaking {
    @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

    private static Connection forgotten;

    @Test
    void passes() throws Exception {
      forgotten = broker.connectionFactory().newConnection("left-open");
    }

    @AfterAll
    static void theClassItselfSeesNothingWrong() {
      assertThat(forgotten.isOpen()).isTrue();
    }
  }

  private static EngineExecutionResults run(Class<?> testClass) {
    return EngineTestKit.engine("junit-jupiter").selectors(selectClass(testClass)).execute();
  }

  private static Throwable failureOf(EngineExecutionResults results) {
    return results.containerEvents().finished().stream()
        .map(Event::getPayload)
        .flatMap(payload -> payload.stream())
        .map(TestExecutionResult.class::cast)
        .flatMap(result -> result.getThrowable().stream())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void no_broker_is_a_failure_that_tells_what_was_tried() {
    EngineExecutionResults results = run(WithoutABroker.class);
    results.containerEvents().assertStatistics(count -> count.failed(1).aborted(0));
    assertThat(failureOf(results))
        .hasMessageContaining("wanted: RabbitMQ 9.9")
        .hasMessageContaining("POCKETWATCH_BROKER_9_9")
        .hasMessageContaining("2. Docker:")
        .hasMessageContaining("3. installed:")
        .hasMessageContaining("4. packages: No Debian release holds RabbitMQ 9.9");
  }

  @Test
  void a_missing_plugin_aborts_with_one_loud_line() {
    PrintStream before = System.err;
    ByteArrayOutputStream heard = new ByteArrayOutputStream();
    EngineExecutionResults results;
    System.setErr(new PrintStream(heard, true, StandardCharsets.UTF_8));
    try {
      results = run(WithoutAPlugin.class);
    } finally {
      System.setErr(before);
    }
    results.containerEvents().assertStatistics(count -> count.failed(0).aborted(1));
    List<String> lines =
        heard.toString(StandardCharsets.UTF_8).lines().filter(l -> l.contains("###")).toList();
    assertThat(lines).hasSize(1);
    assertThat(lines.get(0)).contains("NOT RUN: WithoutAPlugin", "rabbitmq_no_such_plugin");
  }

  @Test
  void a_connection_left_open_fails_the_class() {
    EngineExecutionResults results = run(Leaking.class);
    results.testEvents().assertStatistics(count -> count.succeeded(1));
    results.containerEvents().assertStatistics(count -> count.failed(1));
    assertThat(failureOf(results)).hasMessageContaining("left-open");
    Leaking.forgotten.abort();
  }
}
