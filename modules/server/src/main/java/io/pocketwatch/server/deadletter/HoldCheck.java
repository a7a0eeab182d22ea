// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.BrokerClock;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.probe.Probe;
import io.pocketwatch.internal.probe.Probe.Answer;
import io.pocketwatch.internal.probe.PublishersBlockedException;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.broker.WheelPresence;
import io.pocketwatch.server.deadletter.BrokenHold.State;
import io.pocketwatch.server.deadletter.MissingParts.Missing;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.server.view.Notice.Code;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Sends a probe through every hold queue. It comes back to us, or ends in the sink once we no
 * longer wait.
 */
public final class HoldCheck {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** A queue that is between two leaders refuses too, and passes nothing on, for a moment. */
  private static final Duration SECOND_LOOK = Duration.ofSeconds(5);

  private final NamedBroker broker;
  private final DelayRoutes routes;

  /**
   * @param broker which may be asked at any of its nodes
   * @param routes a configuration whose exchanges and queues are declared
   */
  public HoldCheck(NamedBroker broker, DelayRoutes routes) {
    this.broker = broker;
    this.routes = routes;
  }

  /**
   * Checks all, and again those that seem broken; only a queue that refuses twice counts as
   * refusing. Takes up to 25 s.
   *
   * @throws PublishersBlockedException if the broker takes no messages at all for now
   * @throws IOException if it cannot be asked
   */
  public Found look() throws IOException, TimeoutException {
    return ask(
        (connection, all) -> {
          Missing missing = missing(connection, !all.isEmpty());
          // Otherwise each probe would be stranded, too.
          if (!missing.parts().isEmpty() && !missing.all()) {
            return new Found(missing);
          }
          Looked first = look(connection, all);
          List<BrokenHold> suspects = first.broken();
          if (suspects.isEmpty()) {
            return new Found(all, first, suspects, false);
          }
          Thread.sleep(SECOND_LOOK.toMillis());
          Map<String, State> before = new HashMap<>(); // one can come back, and stay unanswered too
          suspects.forEach(each -> before.putIfAbsent(each.queue(), each.state()));
          List<BrokenHold> broken =
              look(connection, among(before.keySet(), all)).broken().stream()
                  .map(each -> each.after(before))
                  .toList();
          return new Found(all, first, broken, new Refusals(connection).nodeDown(names()));
        });
  }

  /**
   * The other exchanges and queues of ours that are missing.
   *
   * @throws IOException if the broker cannot be asked
   */
  public Missing missing() throws IOException, TimeoutException {
    return ask((connection, all) -> new Found(missing(connection, !all.isEmpty()))).missing();
  }

  private Found ask(Question question) throws IOException, TimeoutException {
    return Channels.use(
        broker.connect("pocketwatch hold check"),
        connection -> question.ask(connection, probes(connection)));
  }

  private List<HoldProbe> probes(Connection connection) throws IOException {
    List<HoldProbe> all = HoldProbe.all(routes, facts(connection));
    return WheelPresence.absent(connection, routes, facts(connection))
        ? all.stream().filter(each -> !WheelPresence.isOfWheel(names(), each.queue())).toList()
        : all;
  }

  /**
   * Whether the wheel was never declared, which is fine while no message needs it.
   *
   * @throws IOException if the broker cannot be asked
   */
  public boolean lacksWheel() throws IOException, TimeoutException {
    return Channels.use(
        broker.connect("pocketwatch hold check"),
        connection -> WheelPresence.absent(connection, routes, facts(connection)));
  }

  private Missing missing(Connection connection, boolean probed) throws IOException {
    BrokerCapabilities facts = broker.capabilities(connection);
    boolean wheel = !WheelPresence.absent(connection, routes, facts);
    return new MissingParts(connection, routes, facts).find(wheel, probed);
  }

  private static List<HoldProbe> among(Set<String> queues, List<HoldProbe> all) {
    return all.stream().filter(each -> queues.contains(each.queue())).toList();
  }

  private Looked look(Connection connection, List<HoldProbe> probes)
      throws IOException, InterruptedException {
    Channel channel = Channels.open(connection);
    // No probe tells whether this binding is there, and without it messages are dropped.
    channel.queueBind(names().unroutable(), names().unroutable(), "");
    // It ends with its connection: a channel that waits for a queue does not answer a goodbye.
    Probe probe = Probe.on(connection, Scheduler.SYSTEM);
    probe.listen(channel, names());
    for (HoldProbe each : probes) {
      BasicProperties.Builder properties =
          new BasicProperties.Builder()
              .expiration("0")
              .priority(each.priority())
              .headers(Map.of("BCC", probe.back(each.steering())));
      probe.send(each.queue(), each.exchange(), each.routingKey(), properties);
    }
    boolean passing = probes.stream().allMatch(HoldProbe::passing);
    Map<String, Answer> answers = probe.await(PATIENCE, passing);
    List<BrokenHold> broken = new ArrayList<>();
    List<BrokerClock> clocks = new ArrayList<>();
    for (HoldProbe each : probes) {
      Answer answer = Objects.requireNonNull(answers.get(each.queue()));
      answer.clock(each.queue()).ifPresent(clocks::add);
      broken(each, answer, passing).ifPresent(broken::add);
    }
    return new Looked(new Refusals(connection).withFull(broken), clocks);
  }

  private static Optional<BrokenHold> broken(HoldProbe probe, Answer answer, boolean passing) {
    String patience = PATIENCE.toSeconds() + " s";
    return switch (answer.state()) {
      case REFUSED -> Optional.of(BrokenHold.of(probe, State.REFUSED, "refuses messages"));
      case RETURNED ->
          Optional.of(BrokenHold.of(probe, State.UNBOUND, "is not there or not bound"));
      case SILENT ->
          Optional.of(BrokenHold.of(probe, State.SILENT, "did not answer within " + patience));
      case TAKEN ->
          passing
              ? Optional.of(
                  BrokenHold.of(
                      probe,
                      State.STUCK,
                      "takes messages, and has not passed one on in " + patience))
              : Optional.empty();
      case ARRIVED -> Optional.empty();
    };
  }

  private Names names() {
    return new Names(routes.hold().namePrefix());
  }

  private BrokerCapabilities facts(Connection connection) {
    String version = String.valueOf(connection.getServerProperties().get("version"));
    return new BrokerCapabilities(
        version,
        false,
        BrokerCapabilities.mayHaveLocalRandomExchange(version),
        connection.getFrameMax(),
        broker.userName());
  }

  private record Looked(List<BrokenHold> broken, List<BrokerClock> clocks) {}

  private interface Question {
    Found ask(Connection connection, List<HoldProbe> all) throws IOException, InterruptedException;
  }

  /**
   * The result of a check.
   *
   * @param asked how many queues were asked; 0 on brokers before 4.0 and without quorum hold queues
   * @param awaited whether their probes were awaited behind them, as from RabbitMQ 4.3 on
   * @param broken the queues that refused the probe, or did not pass it on
   * @param nodeDown whether a node of the broker is known to be down
   * @param clocks of the nodes that lead them, one for each queue that has passed its probe on
   * @param missing other missing exchanges and queues; if there are any, no queue was asked
   */
  public record Found(
      int asked,
      boolean awaited,
      List<BrokenHold> broken,
      boolean nodeDown,
      List<BrokerClock> clocks,
      Missing missing) {
    public Found {
      broken = List.copyOf(broken);
      clocks = List.copyOf(clocks);
    }

    private Found(List<HoldProbe> asked, Looked looked, List<BrokenHold> broken, boolean nodeDown) {
      this(
          asked.size(),
          asked.stream().allMatch(HoldProbe::passing),
          broken,
          nodeDown,
          looked.clocks(),
          Missing.NOTHING);
    }

    private Found(Missing missing) {
      this(0, false, List.of(), false, List.of(), missing);
    }

    /**
     * A part of a sentence for each fault.
     *
     * @param those the broken queues to report
     */
    public List<String> words(List<BrokenHold> those) {
      return Stream.concat(
              missing.parts().stream().map(each -> each + " is not there"),
              those.stream().map(BrokenHold::words))
          .toList();
    }

    /** The clock that is off by the most, if a probe has shown any. */
    public Optional<BrokerClock> clock() {
      return BrokerClock.furthest(clocks);
    }

    /** A warning about wrong clocks, if there are any. */
    public Optional<Notice> wrongClock() {
      long others = clocks.stream().filter(BrokerClock::isWrong).count() - 1;
      return clock()
          .filter(BrokerClock::isWrong)
          .map(
              clock ->
                  Notice.of(
                          clock.ahead().isNegative() ? Code.BROKER_BEHIND : Code.BROKER_AHEAD,
                          "bySeconds",
                          clock.ahead().abs().toSeconds())
                      .and("queue", clock.queue())
                      .and("others", others));
    }

    public List<BrokenHold> in(State state) {
      return broken.stream().filter(each -> each.state() == state).toList();
    }
  }
}
