// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hold;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.topology.BrokerFacts;
import io.pocketwatch.topology.HoldProbe;
import io.pocketwatch.topology.Names;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Asks every hold queue to take a message that ends in the sink. */
public final class HoldCheck {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** A queue that is between two leaders refuses too, for a moment. */
  private static final Duration SECOND_LOOK = Duration.ofSeconds(5);

  private static final int CLOSE_MILLIS = 5_000;

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
   * Looks, and looks again at what seems broken.
   *
   * @throws IOException if the broker cannot be asked, or has blocked publishers
   */
  public Found look() throws IOException, TimeoutException {
    Connection connection = broker.connect("pocketwatch hold check");
    try {
      List<HoldProbe> all = HoldProbe.all(routes, facts(connection));
      List<BrokenHold> suspects = look(connection, all);
      if (suspects.isEmpty()) {
        return new Found(all.size(), suspects);
      }
      Thread.sleep(SECOND_LOOK.toMillis());
      Set<String> names = suspects.stream().map(BrokenHold::queue).collect(Collectors.toSet());
      List<HoldProbe> again = all.stream().filter(each -> names.contains(each.queue())).toList();
      return new Found(all.size(), look(connection, again));
    } catch (AlreadyClosedException e) { // lost between two probes, or an exchange is not there
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for hold queues", e);
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }

  private List<BrokenHold> look(Connection connection, List<HoldProbe> probes)
      throws IOException, InterruptedException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the connection allows no channel");
    }
    bindSink(channel);
    ProbeAnswers answers = new ProbeAnswers(connection, channel, probes);
    channel.confirmSelect();
    for (HoldProbe probe : probes) {
      answers.sending(channel.getNextPublishSeqNo(), probe);
      channel.basicPublish(
          probe.exchange(), probe.routingKey(), true, properties(probe), new byte[0]);
    }
    List<BrokenHold> broken = new ArrayList<>(answers.await(PATIENCE));
    channel.abort();
    return broken;
  }

  /** Here, because without it each probe would end in the queue of what cannot be delivered. */
  private void bindSink(Channel channel) throws IOException {
    Names names = new Names(routes.hold().namePrefix());
    channel.queueBind(names.sink(), names.deliver(), HoldProbe.TO_SINK);
  }

  private static BasicProperties properties(HoldProbe probe) {
    return new BasicProperties.Builder()
        .deliveryMode(2)
        .expiration("0")
        .priority(probe.priority())
        .messageId(probe.queue())
        .headers(Map.of("BCC", probe.steering()))
        .build();
  }

  private BrokerFacts facts(Connection connection) {
    String version = String.valueOf(connection.getServerProperties().get("version"));
    return new BrokerFacts(
        version,
        false,
        BrokerFacts.mayHaveLocalRandomExchange(version),
        connection.getFrameMax(),
        broker.userName());
  }

  /**
   * What a look found.
   *
   * @param asked how many queues were asked; 0 on brokers before 4.0 and without quorum hold queues
   * @param broken those that did not take the message
   */
  public record Found(int asked, List<BrokenHold> broken) {
    public Found {
      broken = List.copyOf(broken);
    }
  }
}
