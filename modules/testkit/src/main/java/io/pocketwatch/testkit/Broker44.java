// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * The broker on which {@code DELIVERY_TIME} works, if the environment names one: no package of
 * RabbitMQ 4.4 is known to the other nodes of these tests.
 */
public final class Broker44 {
  /** An AMQP URI. */
  private static final String ADDRESS = "POCKETWATCH_BROKER_4_4";

  /**
   * A program that is called with {@code kill}, {@code start}, or {@code ctl} and what {@code
   * rabbitmqctl} takes, and ends when that is done.
   */
  private static final String CONTROL = "POCKETWATCH_BROKER_4_4_CONTROL";

  private Broker44() {}

  public static Optional<String> uri() {
    return Optional.ofNullable(System.getenv(ADDRESS)).filter(text -> !text.isBlank());
  }

  /** One element where there is such a broker, none where there is not. */
  public static Stream<String> names() {
    return uri().stream().map(uri -> "4.4");
  }

  /** Aborts the test, loudly, where there is none. */
  public static ConnectionFactory required() {
    String uri =
        uri()
            .orElseThrow(
                () ->
                    aborted(
                        "DELIVERY_TIME IS NOT TESTED: %s names no broker of RabbitMQ 4.4 or later"
                            .formatted(ADDRESS)));
    ConnectionFactory factory = new ConnectionFactory();
    try {
      factory.setUri(uri);
    } catch (URISyntaxException | GeneralSecurityException e) {
      throw new IllegalStateException(ADDRESS + " is no AMQP URI: " + uri, e);
    }
    return factory;
  }

  /** Has the program do that; aborts the test where there is none. */
  public static void control(String... arguments) throws IOException, InterruptedException {
    String program =
        Optional.ofNullable(System.getenv(CONTROL))
            .orElseThrow(
                () ->
                    aborted(
                        "DELIVERY_TIME IS NOT TESTED WITH KILLS AND POLICIES: %s names no program that"
                                .formatted(CONTROL)
                            + " controls the broker"));
    List<String> line = new ArrayList<>(List.of(program));
    line.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(3, TimeUnit.MINUTES) || process.exitValue() != 0) {
      throw new IllegalStateException(line + " did not end well");
    }
  }

  private static TestAbortedException aborted(String why) {
    return BrokerExtension.aborted(why, "", null);
  }
}
