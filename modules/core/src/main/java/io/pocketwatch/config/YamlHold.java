// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.base.DurationText;
import java.time.Duration;
import java.util.List;

/** The keys about how and where messages are held. */
final class YamlHold {
  private YamlHold() {}

  static HoldOptions read(YamlNode top) {
    HoldOptions.Builder hold = HoldOptions.builder();
    top.set("name-prefix", YamlNode::text, hold::namePrefix);
    top.set("topology", word -> word.oneOf(TopologyMode.values()), hold::topology);
    top.set("wheel", YamlHold::wheel, hold::wheel);
    top.set("ttl-queues", YamlHold::ttlQueues, hold::ttlQueues);
    top.set("temporary-queues", YamlHold::temporaryQueues, hold::temporaryQueues);
    top.set("native", YamlHold::nativeMode, hold::nativeMode);
    return hold.build();
  }

  /** Some readers of YAML make a truth value of a bare {@code off}. */
  private static NativeMode nativeMode(YamlNode node) {
    return node.isFalse() ? NativeMode.OFF : node.oneOf(NativeMode.values());
  }

  private static WheelOptions wheel(YamlNode node) {
    node.allow("max-delay", "resolution", "hands", "queue-type", "accept-loss");
    WheelOptions.Builder wheel = WheelOptions.builder();
    node.set("max-delay", YamlNode::delay, wheel::maxDelay);
    wheel.hands(hands(node)).queues(queues(node));
    return node.check(wheel::build);
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
    TemporaryQueueOptions.Builder options = TemporaryQueueOptions.builder();
    options.queues(queues(node));
    node.set("max", YamlNode::integer, options::max);
    node.set("grace", YamlNode::duration, options::grace);
    node.set("linger", YamlNode::duration, options::linger);
    return options.build();
  }

  private static HoldQueues queues(YamlNode node) {
    HoldQueueType type =
        node.read("queue-type", word -> word.oneOf(HoldQueueType.values()), HoldQueueType.QUORUM);
    boolean acceptLoss = node.read("accept-loss", YamlNode::bool, false);
    return node.check(() -> new HoldQueues(type, acceptLoss));
  }
}
