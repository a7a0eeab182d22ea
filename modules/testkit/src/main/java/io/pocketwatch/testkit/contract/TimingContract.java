// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.testkit.Arrival;
import io.pocketwatch.testkit.Targets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When a message arrives. */
interface TimingContract extends StrategyContract {
  /** Between messages whose order counts. */
  Duration LEAST_GAP = Duration.ofMillis(400);

  /**
   * Never early, a message is overtaken only if it is later than that gap. A machine that stalls
   * for so long makes it so once. A wheel that mixes them up, or a queue blocked by its head, does
   * every time.
   */
  int TRIES = 3;

  int COPIES = 3;

  @PerStrategy
  default void everyDelayArrivesExactlyOnceAndNeverEarly(DelayStrategy strategy) throws Exception {
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      List<DelayedMessage> messages = new ArrayList<>();
      for (int copy = 0; copy < COPIES; copy++) {
        for (Duration delay : ContractSetup.delays(strategy)) {
          messages.add(message(target, strategy).delay(delay));
        }
      }
      List<PublishReceipt> receipts = setup().publish(messages);
      assertThat(receipts).extracting(PublishReceipt::strategy).contains(strategy);

      target.awaitOnce(receipts);
    }
  }

  @PerStrategy
  default void aShortDelayIsNotBlockedByALongOneSentBefore(DelayStrategy strategy)
      throws Exception {
    assertNoneOnce("blocked", () -> blocked(strategy));
  }

  private List<Arrival> blocked(DelayStrategy strategy) throws Exception {
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      DelayedMessage message = message(target, strategy);
      List<PublishReceipt> receipts =
          setup().publish(message.delay(Duration.ofSeconds(2)), message.delay(SHORT));
      PublishReceipt longer = receipts.get(0);
      PublishReceipt shorter = receipts.get(1);

      return target.awaitOnce(receipts).stream()
          .filter(arrival -> arrival.id().equals(shorter.id()))
          .filter(arrival -> !arrival.at().isBefore(longer.deliverAt()))
          .toList();
    }
  }

  @Alone
  @PerStrategy
  default void messagesArriveInTheOrderTheyAreDueNotInTheOrderTheyWereSent(DelayStrategy strategy)
      throws Exception {
    assertNoneOnce("overtaken", () -> overtaken(strategy));
  }

  private static void assertNoneOnce(String what, Callable<List<Arrival>> attempt)
      throws Exception {
    List<Arrival> found = attempt.call();
    for (int tries = 1; tries < TRIES && !found.isEmpty(); tries++) {
      found = attempt.call();
    }
    assertThat(found).as("%s, the last of %d times", what, TRIES).isEmpty();
  }

  /** What arrived after something that was due later. */
  private List<Arrival> overtaken(DelayStrategy strategy) throws Exception {
    List<Arrival> overtaken = new ArrayList<>();
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      target.awaitOnce(setup().publish(shuffled(spaced(target, strategy))));
      for (String queue : target.queues()) {
        Instant latest = Instant.MIN;
        for (Arrival arrival : target.arrivals().from(queue)) {
          Instant due = arrival.delayed().deliverAt();
          if (due.isBefore(latest)) {
            overtaken.add(arrival);
          } else {
            latest = due;
          }
        }
      }
    }
    return overtaken;
  }

  /**
   * As far apart as the configured delays, or ten resolutions. It is more on a machine whose disk
   * now and then takes a tenth of a second. After that, messages that waited for the disk come in
   * any order.
   */
  private List<DelayedMessage> spaced(Target target, DelayStrategy strategy) {
    DelayedMessage message = message(target, strategy);
    if (strategy == DelayStrategy.TTL_QUEUE) {
      return ContractSetup.DELAYS.stream()
          .filter(delay -> delay.compareTo(LEAST_GAP) > 0) // half a second apart
          .map(message::delay)
          .toList();
    }
    Duration tenfold = setup().resolution().multipliedBy(10);
    Duration gap = tenfold.compareTo(LEAST_GAP) > 0 ? tenfold : LEAST_GAP;
    Instant first = Instant.now().plus(SHORT);
    return IntStream.range(0, 8)
        .mapToObj(i -> message.deliverAt(first.plus(gap.multipliedBy(i))))
        .toList();
  }

  private static List<DelayedMessage> shuffled(List<DelayedMessage> messages) {
    List<DelayedMessage> shuffled = new ArrayList<>(messages);
    Collections.shuffle(shuffled, new Random(7));
    return shuffled;
  }

  /**
   * Both delays wait in the same queue of a one-second hand. A broker may expire a queue only at
   * the head of each priority, or of all priorities together. It would hold the low ones of the
   * first wave until the high ones of the last are due: 1.6 s late.
   */
  @PerStrategy
  default void messagesOfDifferentPrioritiesDoNotDelayEachOther(DelayStrategy strategy)
      throws Exception {
    assertNoneOnce("a second late or more", () -> lateInWavesOfPriorities(strategy));
  }

  private List<Arrival> lateInWavesOfPriorities(DelayStrategy strategy) throws Exception {
    Duration low = Duration.ofSeconds(1);
    Duration high = strategy == DelayStrategy.TTL_QUEUE ? low : low.plus(Duration.ofMillis(900));
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      List<DelayedMessage> wave = new ArrayList<>();
      for (Integer priority : new Integer[] {9, 5, 4, 0, null}) {
        DelayedMessage message =
            message(target, strategy)
                .properties(
                    new BasicProperties.Builder().deliveryMode(2).priority(priority).build());
        wave.add(message.delay(high));
        wave.add(message.delay(low));
      }
      List<CompletableFuture<List<PublishReceipt>>> waves = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        waves.add(
            CompletableFuture.supplyAsync(
                () -> setup().publish(wave),
                CompletableFuture.delayedExecutor(400L * i, TimeUnit.MILLISECONDS)));
      }
      List<PublishReceipt> receipts =
          waves.stream().map(CompletableFuture::join).flatMap(List::stream).toList();

      return target.awaitOnce(receipts).stream()
          .filter(arrival -> arrival.lateness().compareTo(Duration.ofSeconds(1)) >= 0)
          .toList();
    }
  }

  @Test
  default void what_is_due_already_is_sent_straight_to_its_exchange() throws Exception {
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      DelayedMessage message = DelayedMessage.to(target.exchange(), KEY);
      List<DelayedMessage> due =
          List.of(
              message,
              message.delay(Duration.ZERO),
              message.delay(Duration.ofSeconds(-5)),
              message.deliverAt(Instant.now().minusSeconds(60)),
              message.deliverAt(Instant.EPOCH));
      List<PublishReceipt> receipts = new ArrayList<>(setup().publish(due));
      receipts.addAll(setup().publish(due)); // now to a known target, so without a wait
      assertThat(receipts)
          .extracting(PublishReceipt::strategy)
          .containsOnly(DelayStrategy.IMMEDIATE);

      List<Arrival> arrivals = target.awaitOnce(receipts);
      assertThat(arrivals)
          .allMatch(
              arrival -> arrival.delivery().getEnvelope().getExchange().equals(target.exchange()))
          .noneMatch(arrival -> arrival.headers().containsKey("x-death"));
    }
  }

  @PerStrategy
  default void aMessageWithoutADelayTakesItsRoutesDefault(DelayStrategy strategy) throws Exception {
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
      List<PublishReceipt> receipts =
          setup()
              .publish(
                  DelayedMessage.to(target.exchange(), KEY)
                      .route(ContractSetup.DEFAULT_DELAY_ROUTE)
                      .strategy(strategy));
      assertThat(receipts.get(0).deliverAt())
          .isAfterOrEqualTo(before.plus(ContractSetup.DEFAULT_DELAY));

      target.awaitOnce(receipts);
    }
  }
}
