// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.testkit.Arrival;
import io.pocketwatch.testkit.Arrivals;
import io.pocketwatch.testkit.QueueType;
import io.pocketwatch.testkit.Targets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * An exchange with a quorum queue and a classic queue behind it, so that one test shows both. What
 * it is sent must reach each of the two.
 */
final class Target {
  private final String exchange;
  private final List<String> queues;
  private final Arrivals arrivals;
  private final List<Arrival> controls = new ArrayList<>();

  private Target(String exchange, List<String> queues, Arrivals arrivals) {
    this.exchange = exchange;
    this.queues = queues;
    this.arrivals = arrivals;
  }

  /** A new exchange, bound with that key to two new queues. */
  static Target of(Targets targets, BuiltinExchangeType type, String key) throws IOException {
    return behind(targets, targets.exchange(type), key, Map.of());
  }

  /** Two new queues behind an exchange. */
  static Target behind(
      Targets targets, String exchange, String key, Map<String, Object> bindingArguments)
      throws IOException {
    List<String> queues = new ArrayList<>();
    for (QueueType type : QueueType.values()) {
      String queue = targets.queue(type);
      targets.bind(queue, exchange, key, bindingArguments);
      queues.add(queue);
    }
    return new Target(exchange, queues, targets.arrivals(queues));
  }

  /** One queue there is already, to be addressed through the default exchange. */
  static Target queue(Targets targets, String queue) throws IOException {
    return new Target("", List.of(queue), targets.arrivals(List.of(queue)));
  }

  String exchange() {
    return exchange;
  }

  List<String> queues() {
    return queues;
  }

  Arrivals arrivals() {
    return arrivals;
  }

  /**
   * Waits for the messages of these receipts, and sees that each queue got each of them once, none
   * early, and nothing else.
   */
  List<Arrival> awaitOnce(List<PublishReceipt> receipts) {
    List<Arrival> all =
        new ArrayList<>(arrivals.awaitExactly(controls.size() + receipts.size() * queues.size()));
    all.removeAll(controls);
    for (String queue : queues) {
      List<Arrival> here = all.stream().filter(each -> each.queue().equals(queue)).toList();
      assertThat(here)
          .as("what arrived at %s", queue)
          .extracting(Arrival::id)
          .containsExactlyInAnyOrderElementsOf(receipts.stream().map(PublishReceipt::id).toList());
    }
    for (PublishReceipt receipt : receipts) {
      all.stream()
          .filter(arrival -> arrival.id().equals(receipt.id()))
          .forEach(arrival -> requireKept(receipt, arrival));
    }
    return all;
  }

  private void requireKept(PublishReceipt receipt, Arrival arrival) {
    assertThat(arrival.at()).as("early: %s", arrival).isAfterOrEqualTo(receipt.deliverAt());
    if (receipt.strategy() == DelayStrategy.IMMEDIATE) {
      assertThat(arrival.delivery().getEnvelope().getExchange()).isEqualTo(exchange);
    } else {
      assertThat(arrival.delayed().deliverAt()).isEqualTo(receipt.deliverAt());
      assertThat(arrival.delayed().strategy()).isEqualTo(receipt.strategy());
      assertThat(arrival.delayed().exchange()).isEqualTo(exchange);
    }
  }

  /**
   * Sends a message without Pocketwatch and returns what arrived, by queue. A broker changes some
   * things on any path (a quorum queue keeps messages in another encoding); against this one sees
   * what the hold changed.
   */
  Map<String, Arrival> control(
      ContractSetup setup, String key, BasicProperties properties, byte[] body)
      throws IOException, TimeoutException {
    int before = arrivals.all().size();
    setup.publishPlain(exchange, key, properties, body);
    Map<String, Arrival> control = new HashMap<>();
    arrivals.await(before + queues.size()).stream()
        .skip(before)
        .forEach(arrival -> control.put(arrival.queue(), arrival));
    controls.addAll(control.values());
    assertThat(control.keySet()).containsExactlyInAnyOrderElementsOf(queues);
    return Collections.unmodifiableMap(control);
  }
}
