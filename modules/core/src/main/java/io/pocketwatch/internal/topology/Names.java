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
   * The number of {@link #nativeQueue} queues: each is one process, with one head to wait behind.
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

  /** The strategy of a hold queue, under any prefix; {@code IMMEDIATE} for any other queue. */
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

  /** Whether a queue is one of ours, or of our programs; a message sent there would be stuck. */
  public boolean isOurQueue(String queue) {
    return queue.startsWith(prefix + ".")
        && OUR_QUEUES.matcher(queue.substring(prefix.length() + 1)).matches();
  }

  /** Whether an exchange is one of ours; as a destination it would make a cycle. */
  public boolean isOurs(String exchange) {
    return exchange.startsWith(prefix + ".")
        && OURS.matcher(exchange.substring(prefix.length() + 1)).matches();
  }

  /** The exchange and queue that keep messages whose target is gone. */
  public String unroutable() {
    return prefix + ".unroutable";
  }

  /**
   * The alternate exchange of hold queues' exchanges, for messages without a matching key. One from
   * a publisher, which has {@link io.pocketwatch.Headers#EXCHANGE}, is returned to it. All others
   * are unroutable: those a hold queue dead-lettered, and those sent again to our exchange.
   */
  public String stranded() {
    return prefix + ".stranded";
  }

  /** An exchange without a queue, so that the broker returns what arrives there. */
  public String returned() {
    return prefix + ".returned";
  }

  /** The queue that keeps what the callbacks of that queue have given up. */
  public String parked(String queue) {
    return prefix + ".parked." + queue;
  }

  /** Takes every message after its hold, so that an unroutable one cannot block that queue. */
  public String sink() {
    return prefix + ".sink";
  }

  /** Leads to the same queues as the sink exchange and nowhere else: shows whether one is local. */
  public String localOutlet() {
    return prefix + ".sink-here";
  }

  /** The alternate exchange of the sink exchange, on a node without a sink of its own. */
  String anyOutlet() {
    return prefix + ".sink-anywhere";
  }

  /**
   * The sink queue of one node.
   *
   * @param number from 1 on; the first connection to declare it decides its node
   */
  public String nodeSink(int number) {
    return prefix + ".sink." + number;
  }

  /** The exchange to which hold queues dead-letter. */
  public String release() {
    return prefix + ".release";
  }

  /** The exchange with one binding for each destination. */
  public String deliver() {
    return prefix + ".deliver";
  }

  /** The exchange in place of the default exchange, which allows no bindings. */
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
   * The name of an exchange that is never declared. As an argument it overrides that of a policy.
   */
  public String nowhere() {
    return prefix + ".nowhere";
  }

  /** The queue to which probes come back. */
  public String probe(String token) {
    return prefix + ".probe." + token;
  }

  /** The exchange to which messages for TTL queues are published. */
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

  /** The exchange of messages that the broker holds by delivery time. */
  public String nativeExchange() {
    return prefix + ".native";
  }

  /** A queue that holds by delivery time; the numbers begin at 0. */
  public String nativeQueue(int number) {
    return nativeExchange() + "." + number;
  }

  /** The number of the native queue for a message with that id. */
  public static int nativeQueueOf(String id) {
    return Math.floorMod(id.hashCode(), NATIVE_QUEUES);
  }

  /** The strategy of a shared hold queue of ours, or null for any other queue. */
  public @Nullable DelayStrategy holds(String queue) {
    if (!queue.startsWith(prefix)) {
      return null;
    }
    Matcher hold = HOLDS.matcher(queue.substring(prefix.length()));
    DelayStrategy strategy = hold.matches() ? strategy(hold) : null;
    return strategy == DelayStrategy.TEMPORARY_QUEUE ? null : strategy;
  }

  /** The exchange to temporary queues of messages whose own CC or BCC keys must survive. */
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

  /** The exchange to which temporary queues of one destination dead-letter. */
  public String temporaryRelease(Destination destination) {
    return destination.toQueue()
        ? queues()
        : prefix + ".temporary-to." + BccKeys.encode(destination.exchange());
  }
}
