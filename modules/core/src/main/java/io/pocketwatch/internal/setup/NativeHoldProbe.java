// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Connection;
import io.pocketwatch.NativeHold;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.plan.DeliveryTime;
import io.pocketwatch.internal.probe.Probe;
import io.pocketwatch.internal.probe.Probe.Answer;
import io.pocketwatch.internal.probe.Probe.State;
import io.pocketwatch.internal.topology.BccKeys;
import io.pocketwatch.internal.topology.Names;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * Sends a probe message through each native hold queue, on the connection in question. The node of
 * the connection must stamp the time, and the queue must heed it. The message has a TTL of 1 ms: it
 * comes back when it is due if both work, otherwise at once.
 *
 * @param clock the clock by which messages are planned
 */
record NativeHoldProbe(AdminChannels admin, Names names, InstantSource clock, Scheduler scheduler) {
  private static final Duration AHEAD = Duration.ofMillis(500);

  /** Older brokers answer after 5 to 114 ms. */
  private static final Duration EARLIEST = Duration.ofMillis(250);

  private static final Duration LATEST = AHEAD.plus(NativeHold.CLOCK_LIMIT);

  /** Somewhat more than the longest hold under a clock that is behind. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /** Takes half a second where it works, at most 3 s. It needs the right to configure queues. */
  NativeHold run(Connection connection) throws IOException, TimeoutException {
    try (Probe probe = Probe.on(connection, scheduler)) {
      admin.callKeeping(channel -> probe.listen(channel, names));
      for (int number = 0; number < Names.NATIVE_QUEUES; number++) {
        send(probe, number);
      }
      return judge(probe.await(PATIENCE, true));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for a probe message", e);
    }
  }

  private void send(Probe probe, int number) throws IOException {
    Map<String, Object> headers =
        Map.of(
            DeliveryTime.HEADER,
            clock.instant().plus(AHEAD).toEpochMilli(),
            "BCC",
            probe.back(List.of()));
    BasicProperties.Builder properties =
        new BasicProperties.Builder().priority(Probe.TOP_LANE).expiration("1").headers(headers);
    String key = BccKeys.nativeQueue(number);
    probe.send(names.nativeQueue(number), names.nativeExchange(), key, properties);
  }

  private static NativeHold judge(Map<String, Answer> answers) {
    Duration furthest = Duration.ZERO;
    for (Map.Entry<String, Answer> each : answers.entrySet()) {
      NativeHold queue = judge(each.getKey(), each.getValue());
      Duration ahead = queue.ahead();
      if (!queue.isUsable() || ahead == null) {
        return queue;
      }
      furthest = ahead.abs().compareTo(furthest.abs()) > 0 ? ahead : furthest;
    }
    return NativeHold.usable(furthest);
  }

  private static NativeHold judge(String queue, Answer answer) {
    if (answer.state() == State.REFUSED || answer.state() == State.RETURNED) {
      return NativeHold.notUsable(
          "a probe was not taken by %s: %s".formatted(queue, answer.state()), null);
    }
    if (answer.state() != State.ARRIVED) {
      return NativeHold.notUsable(
          "a probe did not come back from %s within %s s".formatted(queue, PATIENCE.toSeconds()),
          null);
    }
    if (answer.took().compareTo(EARLIEST) < 0) {
      return NativeHold.notUsable(
          "%s let go after %s ms of what was for half a second later, as before RabbitMQ 4.4"
              .formatted(queue, answer.took().toMillis()),
          null);
    }
    Duration ahead = AHEAD.minus(answer.took());
    return answer.took().compareTo(LATEST) > 0
        ? NativeHold.notUsable(
            "the clock of the node that leads %s is %s ms behind this machine's, or it is as slow"
                .formatted(queue, -ahead.toMillis()),
            ahead)
        : NativeHold.usable(ahead);
  }
}
