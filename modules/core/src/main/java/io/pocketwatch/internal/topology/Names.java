// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.internal.base.DurationText;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of our exchanges and queues. A name carries what cannot change after declaration (queue
 * type, unit, position): another configuration gets other names or a clear mismatch.
 *
 * @param prefix the configured name prefix
 */
public record Names(String prefix) {
  /**
   * How many there are of {@link #nativeQueue}: each is one process, behind whose head all wait.
   */
  public static final int NATIVE_QUEUES = 4;

  private static final Pattern OURS =
      Pattern.compile(
          "release|deliver|out-release|out-deliver|queues|unroutable|sink|sink-here|sink-anywhere|nowhere"
              + "|stranded|returned|delayed|native|temporary|(temporary-to|wheel|ttl)\\..*",
          Pattern.DOTALL);

  private static final Pattern OUR_QUEUES =
      Pattern.compile(
          "unroutable|sink|(sink|out|ttl|wheel|native|temporary|probe|parked)\\..*",
          Pattern.DOTALL);

  private static final Pattern HOLDS =
      Pattern.compile(
          "\\.(?:(?<wheel>wheel\\.[^.]+\\.[^.]+\\.\\d+)|(?<ttl>ttl\\.[^.]+\\.\\d+)|(?<time>native\\.\\d+)|temporary\\.[^.]+)$");

  /** By which strategy a hold queue holds, under any prefix; of any other queue, none does. */
  public static DelayStrategy holding(String queue) {
    Matcher hold = HOLDS.matcher(queue);
    return hold.find() ? strategy(hold) : DelayStrategy.IMMEDIATE;
  }

  private static DelayStrategy strategy(Matcher hold) {
    if (hold.group("wheel") != null) {
      return DelayStrategy.QUEUE_WHEEL;
    }
    if (hold.group("time") != null) {
      return DelayStrategy.DELIVERY_TIME;
    }
    return hold.group("ttl") != null ? DelayStrategy.TTL_QUEUE : DelayStrategy.TEMPORARY_QUEUE;
  }

  /** Whether a queue is one of ours, or of our programs; a message sent there finds no way on. */
  public boolean isOurQueue(String queue) {
    return queue.startsWith(prefix + ".")
        && OUR_QUEUES.matcher(queue.substring(prefix.length() + 1)).matches();
  }

  /** Whether an exchange is one of ours; binding one as a destination would make a circle. */
  public boolean isOurs(String exchange) {
    return exchange.startsWith(prefix + ".")
        && OURS.matcher(exchange.substring(prefix.length() + 1)).matches();
  }

  /** The exchange and queue that keep what cannot be delivered because its target is gone. */
  public String unroutable() {
    return prefix + ".unroutable";
  }

  /**
   * Where the exchanges of hold queues turn when no key of a message leads on. What a publisher of
   * delayed messages sends comes back to it, known by its {@link io.pocketwatch.Headers#EXCHANGE}.
   * All else is unroutable: what a hold queue has passed on, and what was sent again to an exchange
   * of ours.
   */
  public String stranded() {
    return prefix + ".stranded";
  }

  /** Has no queue, so the broker returns what turns here. */
  public String returned() {
    return prefix + ".returned";
  }

  /** The queue that keeps what the callbacks of that queue have given up. */
  public String parked(String queue) {
    return prefix + ".parked." + queue;
  }

  /** Takes every release, so that a message matching nothing cannot stop the hold behind it. */
  public String sink() {
    return prefix + ".sink";
  }

  /** Leads to the same queues as the sink exchange and nowhere else: tells whether one is local. */
  public String localOutlet() {
    return prefix + ".sink-here";
  }

  /** Where the sink exchange turns on a node without a sink of its own. */
  String anyOutlet() {
    return prefix + ".sink-anywhere";
  }

  /**
   * The sink queue of one node.
   *
   * @param number from 1 on; which node it is on follows from who declared it first
   */
  public String nodeSink(int number) {
    return prefix + ".sink." + number;
  }

  /** Where hold queues dead-letter to. */
  public String release() {
    return prefix + ".release";
  }

  /** From here each destination is one binding. */
  public String deliver() {
    return prefix + ".deliver";
  }

  /** Stands in for the default exchange, which cannot be bound to. */
  public String queues() {
    return prefix + ".queues";
  }

  String outRelease() {
    return prefix + ".out-release";
  }

  String outDeliver() {
    return prefix + ".out-deliver";
  }

  String out(Destination destination) {
    return prefix + ".out." + BccKeys.outName(destination);
  }

  /** The {@code x-delayed-message} exchange. */
  public String delayed() {
    return prefix + ".delayed";
  }

  /**
   * An exchange that is never declared. Named in an argument, it keeps a policy from naming one.
   */
  public String nowhere() {
    return prefix + ".nowhere";
  }

  /** The queue in which a probe arrives. */
  public String probe(String token) {
    return prefix + ".probe." + token;
  }

  /** Where messages for TTL queues are published. */
  public String ttl(HoldFamily family) {
    return prefix + ".ttl." + family.label();
  }

  public String ttlQueue(HoldFamily family, Duration delay) {
    return ttl(family) + "." + delay.toMillis();
  }

  /** The exchange of one wheel hand. */
  public String hand(HoldFamily family, Duration unit) {
    return prefix + ".wheel." + family.label() + "." + DurationText.format(unit);
  }

  public String handQueue(HoldFamily family, Duration unit, long position) {
    return hand(family, unit) + "." + position;
  }

  /** Where messages are published that the broker holds by their delivery time. */
  public String nativeExchange() {
    return prefix + ".native";
  }

  /** One of the queues that hold by delivery time, from 0 on. */
  public String nativeQueue(int number) {
    return nativeExchange() + "." + number;
  }

  /** The number of the native queue for a message with that id. */
  public static int nativeQueueOf(String id) {
    return Math.floorMod(id.hashCode(), NATIVE_QUEUES);
  }

  /** The strategy whose messages a shared hold queue of ours has, or null if it is none. */
  public @Nullable DelayStrategy holds(String queue) {
    if (!queue.startsWith(prefix)) {
      return null;
    }
    Matcher hold = HOLDS.matcher(queue.substring(prefix.length()));
    DelayStrategy strategy = hold.matches() ? strategy(hold) : null;
    return strategy == DelayStrategy.TEMPORARY_QUEUE ? null : strategy;
  }

  /** Reaches temporary queues of messages whose own CC or BCC keys must survive. */
  public String temporary() {
    return prefix + ".temporary";
  }

  /** The queue that holds one message. */
  public String temporaryQueue(String token) {
    return prefix + ".temporary." + BccKeys.encode(token);
  }

  /** A queue that holds nothing; see {@link QueueSpec#flushQueue}. */
  public String flushQueue(String token) {
    return temporaryQueue("following-" + token);
  }

  /** Where temporary queues of one destination dead-letter to. */
  public String temporaryRelease(Destination destination) {
    return destination.toQueue()
        ? queues()
        : prefix + ".temporary-to." + BccKeys.encode(destination.exchange());
  }
}
