// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import io.pocketwatch.Headers;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.Tracked;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.util.ConcurrentReferenceHashMap;

/** Takes in what containers receive, and gives out what their listeners are to do. Thread-safe. */
final class Desk {
  private static final Logger LOG = LoggerFactory.getLogger(Desk.class);
  private static final Duration BEFORE_REFUSAL = Duration.ofSeconds(1);

  private final Supplier<@Nullable DeliveryGuard> guards;
  private final GuardOptions unguarded;
  private final Containers containers;
  private final ManualChannels manualChannels = new ManualChannels();
  private final Fragments fragments = new Fragments();
  private final Exhausted exhausted = new Exhausted();

  /** Of the last consumer on each channel: Spring gives a channel to one after another. */
  private final Map<Channel, Passing> passing = new ConcurrentReferenceHashMap<>();

  private volatile boolean warned;

  /**
   * @param unguarded the options where there is no guard
   */
  Desk(Supplier<@Nullable DeliveryGuard> guards, GuardOptions unguarded, Containers containers) {
    this.guards = guards;
    this.unguarded = unguarded;
    this.containers = containers;
  }

  /**
   * Whether none of these was delayed, and nothing else on that channel needs to know of them: of
   * what a listener acknowledges itself, with {@code multiple} perhaps, a guard sees all.
   */
  boolean letsPass(Channel channel, List<Message> arrived) {
    for (Message one : arrived) {
      if (one.getMessageProperties().getHeaders().containsKey(Headers.ID)) {
        return false;
      }
    }
    Message first = arrived.get(0);
    String consumer = String.valueOf(first.getMessageProperties().getConsumerTag());
    Passing known = passing.get(channel);
    if (known == null || !known.consumer().equals(consumer)) {
      boolean pass = guards.get() == null || !listenerMayAcknowledge(channel, first);
      known = new Passing(consumer, pass);
      passing.put(channel, known);
    }
    return known.pass();
  }

  /** Whether what was never delayed may pass to that consumer. */
  private record Passing(String consumer, boolean pass) {}

  private boolean listenerMayAcknowledge(Channel channel, Message message) {
    Set<AcknowledgeMode> modes = containers.modes(queue(message), channel);
    return modes.size() != 1 || modes.contains(AcknowledgeMode.MANUAL);
  }

  private static String queue(Message message) {
    return Objects.requireNonNullElse(message.getMessageProperties().getConsumerQueue(), "");
  }

  /**
   * @param arrived one message, or a batch; of one channel and one container
   * @throws AmqpException if it is to come again, all of it
   */
  Turn take(Channel channel, List<Message> arrived) {
    Message first = arrived.get(0);
    String queue = queue(first);
    DeliveryGuard guard = guards.get();
    BooleanSupplier wanted = () -> channel.isOpen() && containers.active(queue);
    Judge judge = new Judge(guard, unguarded, queue, wanted);
    boolean tracked = arrived.stream().anyMatch(one -> Tracked.of(Wire.headers(one)) != null);
    AcknowledgeMode mode = mode(judge, channel, tracked, arrived);
    Intake intake =
        new Intake(
            judge, unguarded.namePrefix(), channel, mode, manualChannels, exhausted, containers);
    boolean fragment = arrived.size() == 1 && Fragments.isFragment(first);
    return fragment ? piece(intake, channel, first) : intake.take(arrived);
  }

  private @Nullable AcknowledgeMode mode(
      Judge judge, Channel channel, boolean tracked, List<Message> arrived) {
    String queue = judge.queue();
    if (tracked && judge.guard() == null && !warned) {
      warned = true;
      LOG.warn(
          "Messages with a row in a store arrive from {}, and no store is configured here: they are"
              + " handled unchecked and never settled",
          queue);
    }
    Set<AcknowledgeMode> modes = containers.modes(queue, channel);
    if (modes.size() > 1 && judge.guard() != null) {
      throw Containers.differ(queue, modes);
    }
    AcknowledgeMode mode = modes.size() == 1 ? modes.iterator().next() : null;
    if (mode == null && tracked && judge.guard() != null) {
      judge.pause(BEFORE_REFUSAL);
      throw ComesAgain.of(
          arrived,
          "the container that consumes '"
              + queue
              + "' is neither a bean nor of a listener endpoint, so that nobody knows how its"
              + " messages are acknowledged; make it a bean",
          null);
    }
    return mode;
  }

  private Turn piece(Intake intake, Channel channel, Message fragment) {
    boolean last = fragment.getMessageProperties().isLastInBatch();
    Fragments.Open open = fragments.continued(channel, fragment);
    InHand inHand = open == null ? null : open.inHand();
    if (open == null) {
      inHand = intake.begin(fragment);
      fragments.opened(channel, fragment, inHand);
    }
    return inHand == null ? Turn.nothing(channel) : intake.turn(fragment, inHand, last);
  }
}
