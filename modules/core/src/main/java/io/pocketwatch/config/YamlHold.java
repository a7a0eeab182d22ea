// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.config.HoldOptions.TemporaryQueueOptions;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.base.DurationText;
import java.time.Duration;
import java.util.List;

/** The keys about how and where messages are held. */
final class YamlHold {
  private YamlHold() {}

  static HoldOptions read(YamlNode top) {
    HoldOptions hold = HoldOptions.defaults();
    hold = top.apply(hold, "name-prefix", YamlNode::text, HoldOptions::withNamePrefix);
    hold =
        top.apply(
            hold, "topology", word -> word.oneOf(TopologyMode.values()), HoldOptions::withTopology);
    hold = top.apply(hold, "wheel", YamlHold::wheel, HoldOptions::withWheel);
    hold = top.apply(hold, "ttl-queues", YamlHold::ttlQueues, HoldOptions::withTtlQueues);
    hold =
        top.apply(
            hold, "temporary-queues", YamlHold::temporaryQueues, HoldOptions::withTemporaryQueues);
    return top.apply(hold, "native", YamlHold::nativeMode, HoldOptions::withNativeMode);
  }

  /** Some readers of YAML make a truth value of a bare {@code off}. */
  private static NativeMode nativeMode(YamlNode node) {
    return node.isFalse() ? NativeMode.OFF : node.oneOf(NativeMode.values());
  }

  private static WheelOptions wheel(YamlNode node) {
    node.allow("max-delay", "resolution", "hands", "queue-type", "accept-loss");
    Duration maxDelay = node.read("max-delay", YamlNode::delay, WheelOptions.defaults().maxDelay());
    List<Duration> hands = hands(node);
    HoldQueues queues = queues(node);
    return node.check(() -> new WheelOptions(maxDelay, hands, queues));
  }

  private static List<Duration> hands(YamlNode wheel) {
    YamlNode resolution = wheel.find("resolution");
    if (resolution == null) {
      return wheel.read("hands", YamlNode::delays, WheelOptions.defaults().hands());
    }
    Duration finest = resolution.delay();
    List<Duration> hands = wheel.read("hands", YamlNode::delays, WheelOptions.naturalHands(finest));
    if (!hands.isEmpty() && !hands.get(hands.size() - 1).equals(finest)) {
      throw resolution.refuse(
          "%s is not the last of the hands, %s; make them agree or leave one of the two out"
              .formatted(
                  DurationText.format(finest), DurationText.format(hands.get(hands.size() - 1))));
    }
    return hands;
  }

  private static HoldQueues ttlQueues(YamlNode node) {
    node.allow("queue-type", "accept-loss");
    return queues(node);
  }

  private static TemporaryQueueOptions temporaryQueues(YamlNode node) {
    node.allow("max", "grace", "linger", "queue-type", "accept-loss");
    TemporaryQueueOptions options = TemporaryQueueOptions.defaults().withQueues(queues(node));
    options = node.apply(options, "max", YamlNode::integer, TemporaryQueueOptions::withMax);
    options = node.apply(options, "grace", YamlNode::duration, TemporaryQueueOptions::withGrace);
    return node.apply(options, "linger", YamlNode::duration, TemporaryQueueOptions::withLinger);
  }

  private static HoldQueues queues(YamlNode node) {
    HoldQueueType type =
        node.read("queue-type", word -> word.oneOf(HoldQueueType.values()), HoldQueueType.QUORUM);
    boolean acceptLoss = node.read("accept-loss", YamlNode::bool, false);
    return node.check(() -> new HoldQueues(type, acceptLoss));
  }
}
