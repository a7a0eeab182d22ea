// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.config.WheelOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The exchanges, queues and bindings that must be on the broker, in the order to declare them.
 * Bindings come last, so that a queue left by another configuration is found before a message could
 * take two ways.
 *
 * @param superseded bindings to delete on a broker that was upgraded, since others replace them
 */
public record Topology(
    List<ExchangeSpec> exchanges,
    List<QueueSpec> queues,
    List<BindingSpec> bindings,
    List<BindingSpec> superseded) {
  public Topology {
    exchanges = List.copyOf(exchanges);
    queues = List.copyOf(queues);
    bindings = List.copyOf(bindings);
    superseded = List.copyOf(superseded);
  }

  /** A topology that replaces no bindings. */
  public Topology(
      List<ExchangeSpec> exchanges, List<QueueSpec> queues, List<BindingSpec> bindings) {
    this(exchanges, queues, bindings, List.of());
  }

  /** All hold queues of the configuration, and the delivery path. */
  public static Topology of(DelayRoutes routes, BrokerCapabilities broker) {
    Builder builder = new Builder(new Names(routes.hold().namePrefix()));
    builder.shared(routes, broker);
    builder.wheel(routes.hold().wheel(), broker);
    return builder.build();
  }

  /** The topology without the wheel, which is declared on need. */
  public static Topology withoutWheel(DelayRoutes routes, BrokerCapabilities broker) {
    Builder builder = new Builder(new Names(routes.hold().namePrefix()));
    builder.shared(routes, broker);
    return builder.build();
  }

  /** The wheel alone; the delivery path must exist. */
  public static Topology ofWheel(DelayRoutes routes, BrokerCapabilities broker) {
    Builder builder = new Builder(new Names(routes.hold().namePrefix()));
    builder.wheel(routes.hold().wheel(), broker);
    return builder.build();
  }

  /** The additions for one destination, before the first message to it. */
  public static Topology of(Names names, Destination destination) {
    Builder builder = new Builder(names);
    builder.destination(destination);
    return builder.build();
  }

  /**
   * The sink of the node that the declaring connection is on, with the exchanges of the whole
   * topology. Only where {@link BrokerCapabilities#localRandomExchange()}.
   *
   * @param number from 1 on; a sink of that number on another node stays there
   */
  public static Topology ofNodeSink(Names names, int number) {
    Builder builder = new Builder(names);
    builder.nodeSink(names.nodeSink(number));
    return builder.build();
  }

  private static List<HoldFamily> classes(HoldQueueType type, BrokerCapabilities broker) {
    return type == HoldQueueType.CLASSIC ? List.of(HoldFamily.CLASSIC) : HoldFamily.quorum(broker);
  }

  private static final class Builder {
    /** The header that the broker adds on dead-lettering. */
    private static final String FIRST_DEATH = "x-first-death-queue";

    private final Names names;
    private final List<ExchangeSpec> exchanges = new ArrayList<>();
    private final List<QueueSpec> queues = new ArrayList<>();
    private final List<BindingSpec> bindings = new ArrayList<>();
    private final List<BindingSpec> superseded = new ArrayList<>();

    Builder(Names names) {
      this.names = names;
    }

    void shared(DelayRoutes routes, BrokerCapabilities broker) {
      deliveryPath(broker.localRandomExchange());
      for (HoldFamily family : classes(routes.hold().ttlQueues().type(), broker)) {
        ttlQueues(family, routes.delays());
      }
      if (routes.asksForNative()) {
        nativeQueues();
      }
      if (broker.delayedExchange() && routes.asksFor(DelayStrategy.DELAYED_EXCHANGE)) {
        delayedExchange();
      }
    }

    void wheel(WheelOptions options, BrokerCapabilities broker) {
      List<Wheel.Hand> hands = new Wheel(options).hands();
      for (HoldFamily family : classes(options.queues().type(), broker)) {
        wheel(family, hands);
      }
    }

    /** release ─▶ { sink, deliver ─▶ destinations }, and the same once more behind out queues. */
    void deliveryPath(boolean nodeSinks) {
      exchanges.add(ExchangeSpec.fanout(names.unroutable()));
      queues.add(QueueSpec.parked(names.unroutable()));
      bindings.add(BindingSpec.queue(names.unroutable(), names.unroutable(), ""));
      exchanges.add(ExchangeSpec.fanout(names.returned()));
      exchanges.add(ExchangeSpec.headers(names.stranded()).withAlternate(names.unroutable()));
      bindings.add(
          BindingSpec.queue(names.stranded(), names.unroutable(), "").ofHeader(FIRST_DEATH));
      bindings.add(
          BindingSpec.exchange(names.stranded(), names.returned(), "").ofHeader(Headers.EXCHANGE));
      queues.add(QueueSpec.sink(names.sink(), names.nowhere()));
      if (nodeSinks) {
        sinkExchanges();
        bindings.add(BindingSpec.queue(names.anyOutlet(), names.sink(), ""));
      }
      exchanges.add(ExchangeSpec.direct(names.queues()).withAlternate(names.unroutable()));
      stage(names.release(), names.deliver(), nodeSinks);
      stage(names.outRelease(), names.outDeliver(), nodeSinks);
      Destination anyQueue = Destination.of("", "", Destination.Way.SHARED);
      bindings.add(BindingSpec.exchange(names.deliver(), names.queues(), BccKeys.to(anyQueue)));
      bindings.add(BindingSpec.exchange(names.outDeliver(), names.queues(), BccKeys.via(anyQueue)));
      exchanges.add(toHolds(names.temporary()));
    }

    /**
     * An exchange to hold queues, with an alternate. A message moved by hand has lost its steering
     * keys. A hold queue would retry it for ever, and some hundreds of them would block the queue.
     * One sent again to the exchange that a consumer saw would vanish. A publisher must still hear
     * of a missing queue, even under a policy with an alternate exchange.
     */
    private ExchangeSpec toHolds(String name) {
      return ExchangeSpec.direct(name).withAlternate(names.stranded());
    }

    private void stage(String release, String deliver, boolean nodeSinks) {
      exchanges.add(ExchangeSpec.fanout(release));
      exchanges.add(ExchangeSpec.direct(deliver).withAlternate(names.unroutable()));
      bindings.add(BindingSpec.exchange(release, deliver, ""));
      BindingSpec oneSink = BindingSpec.queue(release, names.sink(), "");
      if (nodeSinks) {
        bindings.add(BindingSpec.exchange(release, names.sink(), ""));
        superseded.add(oneSink);
      } else {
        bindings.add(oneSink);
      }
    }

    /** sink ─▶ a queue on the same node, or where there is none ─▶ the one that survives nodes. */
    private void sinkExchanges() {
      exchanges.add(ExchangeSpec.fanout(names.anyOutlet()));
      exchanges.add(ExchangeSpec.localRandom(names.sink()).withAlternate(names.anyOutlet()));
      exchanges.add(ExchangeSpec.localRandom(names.localOutlet()));
    }

    void nodeSink(String queue) {
      queues.add(QueueSpec.nodeSink(queue));
      bindings.add(BindingSpec.queue(names.sink(), queue, ""));
      bindings.add(BindingSpec.queue(names.localOutlet(), queue, ""));
    }

    void ttlQueues(HoldFamily family, List<Duration> delays) {
      if (delays.isEmpty()) {
        return;
      }
      exchanges.add(toHolds(names.ttl(family)));
      for (Duration delay : delays) {
        String queue = names.ttlQueue(family, delay);
        queues.add(QueueSpec.hold(queue, family.queueType(), delay, names.release()));
        bindings.add(BindingSpec.queue(names.ttl(family), queue, BccKeys.ttl(delay)));
      }
    }

    private void wheel(HoldFamily family, List<Wheel.Hand> hands) {
      List<Wheel.Hand> narrowestFirst = new ArrayList<>(hands);
      Collections.reverse(narrowestFirst);
      String next = names.release();
      for (Wheel.Hand hand : narrowestFirst) {
        String exchange = names.hand(family, hand.unit());
        exchanges.add(toHolds(exchange));
        bindings.add(BindingSpec.exchange(exchange, next, hand.key(0)));
        for (int position = 1; position <= hand.positions(); position++) {
          String queue = names.handQueue(family, hand.unit(), position);
          Duration ttl = hand.unit().multipliedBy(position);
          queues.add(QueueSpec.hold(queue, family.queueType(), ttl, next));
          bindings.add(BindingSpec.queue(exchange, queue, hand.key(position)));
        }
        next = exchange;
      }
    }

    void nativeQueues() {
      exchanges.add(toHolds(names.nativeExchange()));
      for (int number = 0; number < Names.NATIVE_QUEUES; number++) {
        String queue = names.nativeQueue(number);
        queues.add(QueueSpec.holdByTime(queue, names.release()));
        bindings.add(BindingSpec.queue(names.nativeExchange(), queue, BccKeys.nativeQueue(number)));
      }
    }

    void delayedExchange() {
      exchanges.add(ExchangeSpec.delayed(names.delayed()));
      bindings.add(BindingSpec.exchange(names.delayed(), names.deliver(), ""));
    }

    void destination(Destination destination) {
      switch (destination.way()) {
        case STRAIGHT -> {}
        case SHARED -> bindTo(destination, names.deliver(), BccKeys.to(destination));
        case OUT_QUEUE -> {
          String out = names.out(destination);
          queues.add(QueueSpec.hold(out, HoldQueueType.QUORUM, Duration.ZERO, names.outRelease()));
          bindTo(destination, names.outDeliver(), BccKeys.via(destination));
          bindings.add(BindingSpec.queue(names.deliver(), out, BccKeys.out(destination)));
        }
        case TEMPORARY -> {
          if (!destination.toQueue()) {
            exchanges.add(
                ExchangeSpec.fanout(names.temporaryRelease(destination))
                    .withAlternate(names.unroutable()));
          }
          bindTo(destination, names.temporaryRelease(destination), "");
        }
      }
    }

    private void bindTo(Destination destination, String source, String key) {
      bindings.add(
          destination.toQueue()
              ? BindingSpec.queue(names.queues(), destination.queue(), destination.queue())
              : BindingSpec.exchange(source, destination.exchange(), key));
    }

    Topology build() {
      List<ExchangeSpec> closed = exchanges.stream().map(each -> each.closed(names)).toList();
      return new Topology(closed, queues, bindings, superseded);
    }
  }
}
