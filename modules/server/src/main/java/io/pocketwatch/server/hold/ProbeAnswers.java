// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hold;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.BrokerClock;
import io.pocketwatch.internal.topology.HoldProbe;
import io.pocketwatch.server.hold.BrokenHold.State;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What becomes of each probe that is published on one channel. */
final class ProbeAnswers {
  private final SortedMap<Long, HoldProbe> unanswered = new TreeMap<>();
  private final Map<String, HoldProbe> byName = new HashMap<>();
  private final Map<String, HoldProbe> onTheWay = new HashMap<>();
  private final List<BrokenHold> broken = new ArrayList<>();
  private final List<BrokerClock> clocks = new ArrayList<>();

  /** When they began to be sent: on this machine's clock, and in time that nobody can set. */
  private final Instant sent = Instant.now();

  private final long sentNanos = System.nanoTime();
  private @Nullable String blocked;
  private @Nullable ShutdownSignalException lost;

  ProbeAnswers(Connection connection, Channel channel, List<HoldProbe> probes) {
    probes.forEach(probe -> byName.put(probe.queue(), probe));
    channel.addConfirmListener(
        (number, multiple) -> answered(number, multiple, null),
        (number, multiple) -> answered(number, multiple, "refuses messages"));
    channel.addReturnListener(returned -> unbound(returned.getProperties().getMessageId()));
    channel.addShutdownListener(this::lost);
    connection.addBlockedListener(this::blocked, () -> blocked(null));
  }

  synchronized void sending(long number, HoldProbe probe) {
    unanswered.put(number, probe);
    if (probe.passing()) {
      onTheWay.put(probe.queue(), probe);
    }
  }

  /** It has passed its queue. */
  synchronized void arrived(String queue, @Nullable Map<String, Object> headers) {
    onTheWay.remove(queue);
    Instant now = sent.plusNanos(System.nanoTime() - sentNanos);
    BrokerClock.of(headers, queue, sent, now).ifPresent(clocks::add);
    notifyAll();
  }

  private synchronized void answered(long number, boolean multiple, @Nullable String problem) {
    SortedMap<Long, HoldProbe> these =
        unanswered.subMap(multiple ? Long.valueOf(0) : Long.valueOf(number), number + 1);
    if (problem != null) {
      these.values().forEach(probe -> broken(probe, State.REFUSED, problem));
    }
    these.clear();
    notifyAll();
  }

  private synchronized void unbound(String queue) {
    HoldProbe probe = byName.get(queue);
    if (probe != null) {
      broken(probe, State.UNBOUND, "is not there or not bound");
    }
  }

  private void broken(HoldProbe probe, State state, String what) {
    onTheWay.remove(probe.queue());
    broken.add(BrokenHold.of(probe, state, what));
  }

  private synchronized void lost(ShutdownSignalException cause) {
    lost = cause;
    notifyAll();
  }

  private synchronized void blocked(@Nullable String why) {
    blocked = why;
  }

  /** Of the nodes whose queues have passed theirs on. */
  synchronized List<BrokerClock> clocks() {
    return List.copyOf(clocks);
  }

  /**
   * @throws IOException if that is not for want of one queue
   */
  synchronized List<BrokenHold> await(Duration patience) throws IOException, InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (!(unanswered.isEmpty() && onTheWay.isEmpty()) && lost == null) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        break;
      }
      wait(left);
    }
    if (lost != null) {
      throw new IOException(lost);
    }
    if (!unanswered.isEmpty() && blocked != null) {
      throw new PublishersBlockedException(blocked);
    }
    String silence = "did not answer within " + patience.toSeconds() + " s";
    unanswered.values().forEach(probe -> broken(probe, State.SILENT, silence));
    String stuck = "takes messages, and has not passed one on in " + patience.toSeconds() + " s";
    List.copyOf(onTheWay.values()).forEach(probe -> broken(probe, State.STUCK, stuck));
    return List.copyOf(broken);
  }
}
