// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.BrokerClock;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.PublishSession;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.probe.Probe;
import io.pocketwatch.internal.probe.Probe.Answer;
import io.pocketwatch.internal.probe.PublishersBlockedException;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.HoldFamily;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.Wheel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a probe message through every hand of the wheel, with one wait, and the delivery path to a
 * queue of its own. A missing dead-letter exchange or permission, or a policy that rewrites keys,
 * would drop messages silently; the probe finds that.
 */
final class StartupProbe {
  /** Less than a dead-letter worker waits after a crash (180 s by default). */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** The longest wait of the probe, also in a wheel whose finest hand is a minute. */
  private static final Duration LONGEST_HOLD = Duration.ofSeconds(1);

  private static final String ID = "probe";
  private static final Logger LOG = LoggerFactory.getLogger(StartupProbe.class);

  private final AdminChannels admin;
  private final HoldOptions hold;
  private final Scheduler scheduler;
  private final Names names;
  private final Consumer<BrokerClock> clockSeen;

  /**
   * @param clockSeen takes the broker's clock when the message has come back
   */
  StartupProbe(
      AdminChannels admin, HoldOptions hold, Consumer<BrokerClock> clockSeen, Scheduler scheduler) {
    this.admin = admin;
    this.hold = hold;
    this.clockSeen = clockSeen;
    this.scheduler = scheduler;
    this.names = new Names(hold.namePrefix());
  }

  /**
   * @return false only if the broker has blocked publishers, which is no fault of the topology;
   *     otherwise true, also where no probe is needed
   * @throws TopologyException if the message does not come back
   */
  boolean run(PublishSession session, BrokerCapabilities broker)
      throws IOException, TimeoutException {
    Duration unit = hold.wheel().resolution();
    boolean lanes = broker.priorityLanes() && hold.wheel().queues().type() == HoldQueueType.QUORUM;
    if (unit.compareTo(PATIENCE.dividedBy(2)) > 0 && !lanes) {
      LOG.info(
          "The wheel is not probed: a probe would wait behind others, up to {}",
          DurationText.format(unit));
      return true;
    }
    String why = session.blocked();
    if (why != null) {
      return notProbed("the broker has blocked publishers: " + why);
    }
    try (Probe probe = Probe.on(session.connection(), scheduler)) {
      admin.callKeeping(channel -> probe.listen(channel, names));
      BasicProperties.Builder properties = new BasicProperties.Builder();
      if (unit.compareTo(LONGEST_HOLD) > 0) {
        properties
            .expiration(Long.toString(LONGEST_HOLD.toMillis()))
            .priority(lanes ? Probe.TOP_LANE : null);
      }
      List<Wheel.Hand> hands = new Wheel(hold.wheel()).hands();
      HoldFamily family = HoldFamily.of(hold.wheel().queues(), 0, broker);
      properties.headers(Map.of("BCC", probe.back(oneWait(hands))));
      probe.send(ID, names.hand(family, hands.get(0).unit()), "", properties);
      Answer answer = Objects.requireNonNull(probe.await(PATIENCE, true).get(ID));
      requireBack(answer);
      answer.clock(names.handQueue(family, unit, 1)).ifPresent(clockSeen);
      return true;
    } catch (PublishersBlockedException e) {
      return notProbed(ErrorWords.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TopologyException("interrupted while waiting for a probe message", e);
    }
  }

  private static boolean notProbed(String why) {
    LOG.warn("The wheel is not probed: {}", why);
    return false;
  }

  private static List<String> oneWait(List<Wheel.Hand> hands) {
    List<String> steering = new ArrayList<>();
    for (int i = 0; i < hands.size(); i++) {
      steering.add(hands.get(i).key(i == hands.size() - 1 ? 1 : 0));
    }
    return steering;
  }

  private void requireBack(Answer answer) {
    switch (answer.state()) {
      case ARRIVED -> {}
      case REFUSED, RETURNED ->
          throw new TopologyException("a probe message was not taken, but " + answer.state());
      case SILENT, TAKEN ->
          throw new TopologyException(
              "a probe message did not come back within "
                  + PATIENCE.toSeconds()
                  + " s. Look for policies that match '"
                  + names.release()
                  + "' and its like (dead-letter-routing-key, expires), for missing"
                  + " bindings and permissions, and for a node that has just crashed");
    }
  }
}
