// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.testing.FakeBroker;
import io.pocketwatch.testing.HandScheduler;
import io.pocketwatch.testing.Sent;
import io.pocketwatch.testing.Sent.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One order of events, and what must hold after it. Each message ends, once, and as the broker has
 * said. No place in flight, connection or thread is left. Nothing is sent twice or after the end.
 */
final class PublishOrder {
  /** One line of an order. */
  record Event(Step step, int which) {
    @Override
    public String toString() {
      return step.words + " (" + which + ")";
    }
  }

  private record Call(String id, CompletableFuture<PublishReceipt> future) {}

  private static final List<String> TARGETS = List.of("orders", "invoices", "shop", "depot");

  final FakeBroker broker;
  final HandScheduler time;
  private final HandDrivenPublisher it;
  private final boolean classic;
  private final List<Event> events;
  private final List<Call> calls = new ArrayList<>();
  private int published;

  /**
   * @param seed says which thread runs first where several could, and of which type hold queues are
   */
  PublishOrder(long seed, List<Event> events) {
    this.events = events;
    this.classic = seed % 3 == 0;
    HoldQueues queues = classic ? HoldQueues.classicAcceptingLoss() : HoldQueues.quorum();
    this.it = new HandDrivenPublisher(new Random(seed), queues);
    this.broker = it.broker;
    this.time = it.time;
    declareTargets();
  }

  /**
   * Lets it all happen.
   *
   * @return how the messages ended
   */
  List<String> run() {
    events.forEach(each -> each.step.action.accept(this, each.which));
    time.advance(HandDrivenPublisher.TIMEOUT.multipliedBy(6));
    assertThat(open()).as("messages that never ended").isEmpty();
    close();
    calls.forEach(this::check);
    assertThat(broker.sentIds()).as("sent more than once").doesNotHaveDuplicates();
    assertThat(time.permitsTaken()).as("places in flight that were not given back").isZero();
    assertThat(broker.connections()).as("connections left open").isEmpty();
    assertThat(time.threadsLeft()).as("threads left").isEmpty();
    int sent = broker.sent().size();
    publish(0);
    time.advance(Duration.ofMinutes(1));
    assertThat(broker.sent()).as("sent after the end").hasSize(sent);
    return calls.stream().map(each -> HandDrivenPublisher.described(each.future)).toList();
  }

  private List<String> open() {
    return calls.stream().filter(each -> !each.future.isDone()).map(Call::id).toList();
  }

  private void check(Call call) {
    String outcome = HandDrivenPublisher.described(call.future);
    Sent sent =
        broker.sent().stream().filter(each -> each.id().equals(call.id)).findAny().orElse(null);
    assertThat(outcome).as("how message %s ended", call.id).matches(expected(sent));
  }

  /** How a message has to end of which the broker has seen that. */
  private String expected(Sent sent) {
    if (sent == null) {
      return "REJECTED .*|IllegalStateException|UnknownTargetException|TopologyException";
    }
    String inTime = sent.wasReturned() ? "RETURNED NO_ROUTE" : "CONFIRMED";
    String uncertain = "UNCERTAIN (CHANNEL_LOST|NO_EXCHANGE|EXCHANGE_REFUSED|NO_ANSWER)";
    if (sent.answer() == null) {
      return uncertain;
    }
    boolean held = sent.exchange().contains(".wheel.");
    if (sent.answer() == Answer.NACK) {
      inTime = classic && held ? "UNCERTAIN NACKED" : "REJECTED NACKED";
    }
    return sent.answeredAfter().compareTo(HandDrivenPublisher.TIMEOUT) < 0
        ? inTime
        : inTime + "|UNCERTAIN NO_ANSWER";
  }

  // What steps do

  void publish(int which) {
    String target = target(which);
    DelayedMessage message =
        TARGETS.indexOf(target) < 2
            ? DelayedMessage.toQueue(target)
            : DelayedMessage.to(target, "paid");
    start(message, which);
  }

  void hold(int which) {
    start(DelayedMessage.to("shop", "paid").delay(Duration.ofSeconds(5)), which);
  }

  private void start(DelayedMessage message, int which) {
    String id = "m" + ++published;
    CompletableFuture<PublishReceipt> future =
        it.publisher.publish(message.id(id).body(new byte[which * 100]));
    calls.add(new Call(id, future));
  }

  String target(int which) {
    return TARGETS.get(which % TARGETS.size());
  }

  void declareTargets() {
    broker.hasQueue("orders");
    broker.hasQueue("invoices");
    broker.hasExchange("shop");
    broker.hasExchange("depot");
  }

  String wheelQueue() {
    return "pocketwatch.wheel.%s.1s.1".formatted(classic ? "classic" : "quorum");
  }

  Sent last() {
    return broker.sent().get(broker.sent().size() - 1);
  }

  /** Of those that the broker can still answer for, if there are any. */
  void answer(int which, Consumer<Sent> how) {
    List<Sent> possible = broker.sent().stream().filter(Sent::answerable).toList();
    if (!possible.isEmpty()) {
      how.accept(possible.get(which % possible.size()));
    }
  }

  void giveBack(Sent sent) {
    if (!sent.wasReturned()) {
      try {
        broker.returns(sent);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  void closeChannel(int which, int code, String text) {
    answer(which, each -> broker.closesChannelOf(each.id(), code, text));
  }

  void whenOneEnds(int which, Runnable action) {
    List<Call> open = calls.stream().filter(each -> !each.future.isDone()).toList();
    if (!open.isEmpty()) {
      open.get(which % open.size()).future.whenComplete((receipt, error) -> action.run());
    }
  }

  void later(int which, Runnable action) {
    time.later(Step.aWhile(which), action);
  }

  /** Whoever is in the middle of a call stays there for so long. */
  void block(Duration duration) {
    time.advance(duration);
  }

  void close() {
    it.publisher.close();
  }
}
