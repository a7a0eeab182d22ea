// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static io.pocketwatch.it.recovery.RecoveryWorld.ROUTE;
import static io.pocketwatch.it.recovery.RecoveryWorld.key;
import static io.pocketwatch.it.recovery.RecoveryWorld.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.it.recovery.Race.Answer;
import io.pocketwatch.it.recovery.Race.Change;
import io.pocketwatch.it.recovery.Race.Handled;
import io.pocketwatch.it.recovery.Race.Phase;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages that are cancelled and rescheduled at all moments of their lives: what callers are told
 * is what happens. {@code -Drecovery.races} sets how many, {@code -Drecovery.seed} which.
 */
@Tag("wide")
class ChangeRacesIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private static final Logger LOG = LoggerFactory.getLogger(ChangeRacesIT.class);
  private static final int RACES = Integer.getInteger("recovery.races", 1_000);
  private static final int RACES_PER_SECOND = 100;

  /** A horizon one to three seconds ahead. */
  private static final LoaderOptions OPTIONS =
      LoaderOptions.builder()
          .every(Duration.ofSeconds(2))
          .lead(Duration.ofSeconds(1))
          .sweep(Duration.ofMillis(100))
          .build();

  private final Map<String, Instant> due = new ConcurrentHashMap<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private Map<String, Race> races = Map.of();
  private RecoveryWorld world;

  @Test
  void what_is_answered_is_what_happens() throws Exception {
    long seed = Long.getLong("recovery.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));
    LOG.info("{} races, -Drecovery.seed={}", RACES, seed);
    Random random = new Random(seed);
    races =
        IntStream.range(0, RACES)
            .mapToObj(i -> Race.random("race-" + i, random))
            .collect(
                Collectors.toMap(
                    race -> race.id, Function.identity(), (a, b) -> a, LinkedHashMap::new));
    ScheduledExecutorService callers = Executors.newScheduledThreadPool(12);
    try (RecoveryWorld opened = new RecoveryWorld(BROKER::connectionFactory, OPTIONS)) {
      world = opened;
      world.loader();
      Effects effects = world.effects();
      Workers workers = world.workers(4, (id, delivery) -> handle(effects, id, delivery));
      for (Race race : races.values()) {
        long begin = random.nextInt(1_000 * RACES / RACES_PER_SECOND);
        callers.schedule(() -> begin(race, callers), begin, TimeUnit.MILLISECONDS);
      }
      await()
          .atMost(Duration.ofSeconds(60 + RACES / RACES_PER_SECOND))
          .pollInterval(Duration.ofMillis(500))
          .until(() -> !failures.isEmpty() || over());
      assertThat(failures).isEmpty();
      Instant last = due.values().stream().max(Instant::compareTo).orElseThrow();
      await()
          .during(Duration.ofSeconds(1))
          .atMost(Duration.ofSeconds(30))
          .until(() -> world.waiting(ROUTE) == 0 && world.store().now().isAfter(last));

      Map<String, Long> tally =
          races.values().stream()
              .flatMap(race -> race.lines().stream())
              .collect(Collectors.groupingBy(line -> line, TreeMap::new, Collectors.counting()));
      LOG.info("Copies skipped: {}; {}", workers.skipped(), tally);
      List<String> lies =
          races.values().stream()
              .flatMap(
                  race ->
                      race
                          .lie(
                              due.getOrDefault(race.id, Instant.EPOCH),
                              world.store().find(key(race.id)))
                          .stream())
              .toList();
      assertThat(lies).as("-Drecovery.seed=" + seed).isEmpty();
      assertThat(effects.second()).isZero();
      assertThat(effects.count()).isEqualTo((int) world.count(MessageState.SETTLED));
    } finally {
      callers.shutdownNow();
    }
  }

  private boolean over() {
    return races.values().stream().allMatch(Race::answered)
        && world.count(MessageState.PENDING, MessageState.HELD) == 0;
  }

  private void begin(Race race, ScheduledExecutorService callers) {
    try {
      CompletableFuture<PublishReceipt> receipt = new CompletableFuture<>();
      if (race.phase != Phase.NEVER_SENT) {
        Instant instant = world.store().now().plusMillis(race.delayMillis);
        due.put(race.id, instant);
        receipt = world.publisher().publish(message(race.id).deliverAt(instant));
      }
      if (race.phase != Phase.DURING_THE_HANDLER) {
        for (Change change : race.changes) {
          CompletableFuture<PublishReceipt> sent = receipt;
          callers.schedule(
              () -> ask(race, change, sent), change.afterMillis(), TimeUnit.MILLISECONDS);
        }
      }
    } catch (RuntimeException e) {
      failures.add(e);
    }
  }

  private void ask(Race race, Change change, CompletableFuture<PublishReceipt> sent) {
    try {
      if (!change.cancels()) {
        Instant to = world.store().now().plusMillis(change.toMillis());
        race.answered(new Answer(world.publisher().store().reschedule(key(race.id), to), to));
      } else if (race.phase == Phase.NEVER_SENT || race.phase == Phase.DURING_THE_HANDLER) {
        race.answered(new Answer(world.publisher().store().cancel(key(race.id)), null));
      } else {
        PublishReceipt receipt = sent.get(10, TimeUnit.SECONDS);
        ChangeOutcome outcome = world.publisher().cancel(receipt).get(10, TimeUnit.SECONDS);
        race.answered(new Answer(certain(outcome), null));
      }
    } catch (Exception e) {
      failures.add(e);
    }
  }

  private static ChangeOutcome certain(ChangeOutcome outcome) {
    assertThat(outcome).as("the store was there").isNotEqualTo(ChangeOutcome.UNCERTAIN);
    return outcome;
  }

  private void handle(Effects effects, String id, GuardedDelivery delivery) throws Exception {
    Race race = races.get(id);
    race.handled(new Handled(delivery.delayed().orElseThrow().deliverAt(), world.store().now()));
    if (race.phase == Phase.DURING_THE_HANDLER) {
      race.changes.forEach(change -> ask(race, change, new CompletableFuture<>()));
    } else {
      // Work of some milliseconds, so that callers find it going on.
      LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(20_000_000));
    }
    effects.handle(id, delivery);
  }
}
