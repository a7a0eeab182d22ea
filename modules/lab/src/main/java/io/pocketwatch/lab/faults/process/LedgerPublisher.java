// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import io.pocketwatch.lab.faults.account.Messages;
import io.pocketwatch.lab.faults.account.Tail;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Publishes the messages of one round after the other. It is told by lines in a file, which it
 * reads again from the start when it was killed and started. Then it goes on with the last round,
 * or with what may still be due.
 */
final class LedgerPublisher {
  private static final long LOOK_MILLIS = 50;

  /** Longer than anybody waits for a message. */
  private static final Duration PAST = Duration.ofMinutes(3);

  private LedgerPublisher() {}

  /**
   * Publishes until it is killed.
   *
   * @param orders where {@link Order}s come
   * @param journal where it notes what it did
   */
  static void run(Path config, Addresses broker, Path orders, Path journal) throws Exception {
    ConfigurationFile configuration = ConfigurationFile.load(config);
    SteppedClock clock = new SteppedClock();
    Tail tail = new Tail(orders);
    List<String> old = tail.more(); // before the publisher reads its clock
    old.stream().flatMap(Order::clock).forEach(clock::step);
    try (OpenStore open = OpenStore.connect(configuration.requireStore());
        TrackedPublisher publisher =
            broker
                .publisher()
                .routes(configuration.routes())
                .clock(clock)
                .connectLater()
                .build(TrackedPublisher.with(open.store()));
        Sending sending = new Sending(publisher, journal)) {
      List<String> lines = old;
      sending.trickle();
      while (true) {
        carryOut(lines, sending, clock, lines == old);
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        lines = tail.more();
      }
    }
  }

  private static void carryOut(
      List<String> lines, Sending sending, SteppedClock clock, boolean again) throws IOException {
    Order.Publishing publishing = Order.publishing(lines);
    if (publishing.alone()) {
      sending.leaveAll();
    }
    for (Messages messages : publishing.messages()) {
      if (messages.end().plus(PAST).isAfter(Instant.now())) {
        sending.begin(messages, again);
      }
    }
    if (!again) {
      List<Duration> steps = lines.stream().flatMap(Order::clock).toList();
      steps.forEach(clock::step);
    }
  }
}
