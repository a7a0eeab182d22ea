// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Fails a test class that leaves connections open in its virtual host. */
final class ConnectionLeaks {

  /** Closing is acknowledged before a busy broker has let go of the connection; a leak stays. */
  private static final Duration GRACE = Duration.ofSeconds(20);

  private static final Path KERNELS_LIST = Path.of("/proc/net/tcp");
  private static final String ESTABLISHED = "01";

  private static final Pattern CLIENT_NAME = Pattern.compile("\"connection_name\",\"([^\"]*)\"");

  private ConnectionLeaks() {}

  static void check(BrokerNode node, String virtualHost) {
    // A node that was left dead has none; of one at an address only its owner sees the list.
    if (node.source() == BrokerSource.ADDRESS || !node.running()) {
      return;
    }
    try {
      Awaitility.await()
          .atMost(GRACE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(20))
          .until(
              () ->
                  Files.isReadable(KERNELS_LIST)
                      ? nobodyConnected(node.amqpUri().getPort())
                      : open(node, virtualHost).isEmpty());
    } catch (ConditionTimeoutException e) {
      List<String> left = open(node, virtualHost);
      if (!left.isEmpty()) {
        throw new AssertionError(
            left.size() + " connection(s) left open by this test class: " + left, e);
      }
    }
  }

  /** At once, where the broker's own list takes a second of rabbitmqctl after every class. */
  private static boolean nobodyConnected(int port) throws IOException {
    String end = String.format(Locale.ROOT, ":%04X", port);
    try (Stream<String> lines = Files.lines(KERNELS_LIST)) {
      return lines
          .map(line -> line.strip().split(" +", 5)) // number, local, remote, state
          .noneMatch(
              fields ->
                  fields[3].equals(ESTABLISHED)
                      && (fields[1].endsWith(end) || fields[2].endsWith(end)));
    }
  }

  private static List<String> open(BrokerNode node, String virtualHost) {
    return node.ctl(
            "-q", "--no-table-headers", "list_connections", "vhost", "name", "client_properties")
        .lines()
        .map(line -> line.split("\t", 3))
        .filter(fields -> fields.length == 3 && fields[0].equals(virtualHost))
        .map(fields -> clientName(fields[2]) + " (" + fields[1] + ")")
        .toList();
  }

  private static String clientName(String properties) {
    Matcher named = CLIENT_NAME.matcher(properties);
    return named.find() ? named.group(1) : "without a name";
  }
}
