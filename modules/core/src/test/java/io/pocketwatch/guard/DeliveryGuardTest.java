// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.guard.GuardDecision.Basis;
import io.pocketwatch.guard.GuardDecision.Deliver;
import io.pocketwatch.guard.GuardDecision.HoldAgain;
import io.pocketwatch.guard.GuardDecision.Reason;
import io.pocketwatch.guard.GuardDecision.Skip;
import io.pocketwatch.guard.GuardDecision.Wait;
import io.pocketwatch.store.Beginning;
import io.pocketwatch.store.Begun;
import io.pocketwatch.store.Begun.Verdict;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Ended;
import io.pocketwatch.store.Ending;
import io.pocketwatch.store.HandOver;
import io.pocketwatch.store.HandOverResult;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What each answer of a store is turned into; what stores really answer is tested with real ones.
 */
class DeliveryGuardTest {
  private static final Instant STORE_NOW = Instant.parse("2026-03-01T10:00:00Z");

  /** An hour behind the store. */
  private static final Instant HERE = STORE_NOW.minusSeconds(3_600);

  private static final MessageKey KEY = new MessageKey("orders", "o-1");
  private static final GuardOptions OPTIONS =
      GuardOptions.defaults()
          .withClock(InstantSource.fixed(HERE))
          .withEarlyTolerance(Duration.ofSeconds(1));

  private Supplier<Begun> answer = () -> Begun.handle(false);
  private int asked;
  private GuardOptions options = OPTIONS;
  private final Guards guard = new Guards();

  @AfterEach
  void close() {
    guard.close();
  }

  @Test
  void aTrackedMessageIsHandledAsTheStoreSays() {
    assertTracked(tracked(STORE_NOW));
    for (Verdict skipped : new Verdict[] {Verdict.SETTLED, Verdict.CANCELLED, Verdict.OUTDATED}) {
      answer = () -> Begun.of(skipped);
      assertThat(tracked(STORE_NOW)).isEqualTo(new Skip(skipped));
    }
  }

  @Test
  void aBusyOneIsHeldUntilTheOthersLeaseIsOver() {
    Instant until = STORE_NOW.plusSeconds(40);
    answer = () -> Begun.busy(until);

    assertThat(tracked(STORE_NOW)).isEqualTo(new HoldAgain(until, Reason.BUSY));
  }

  @Test
  void anUnknownOneIsDeliveredCountedAndRemembered() {
    answer = () -> Begun.of(Verdict.UNKNOWN);

    assertThat(tracked(STORE_NOW)).isEqualTo(new Deliver(Basis.UNKNOWN, null));
    assertThat(guard.get().unknown().count()).isEqualTo(1);
    assertThat(guard.get().unknown().last()).containsExactly(KEY);
  }

  @Test
  void anEarlyOneIsHeldWithoutAskingTheStoreByTheStoresClock() {
    Instant early = STORE_NOW.plusMillis(1_001);

    assertThat(tracked(early)).isEqualTo(new HoldAgain(early, Reason.EARLY));
    assertThat(asked).isZero();
    assertThat(tracked(STORE_NOW.plusMillis(1_000))).isInstanceOf(Deliver.class);
  }

  @Test
  void anUntrackedOneIsJudgedByTheClockOfTheOptionsAlone() {
    Instant early = HERE.plusMillis(1_001);

    assertThat(untracked(early)).isEqualTo(new HoldAgain(early, Reason.EARLY));
    assertThat(untracked(HERE)).isEqualTo(new Deliver(Basis.UNTRACKED, null));
    assertThat(guard.get().decide("work", new BasicProperties()))
        .isEqualTo(new Deliver(Basis.UNTRACKED, null));
    assertThat(asked).isZero();
  }

  @Test
  void withoutAnAnswerNothingIsRunUnlessAskedFor() {
    StoreException down = new StoreException("down");
    answer =
        () -> {
          throw down;
        };

    assertThat(tracked(STORE_NOW)).isEqualTo(new Wait(down));
    options = OPTIONS.withOnStoreFailure(OnStoreFailure.DELIVER);
    assertThat(tracked(STORE_NOW)).isEqualTo(new Deliver(Basis.UNCHECKED, null));
  }

  @Test
  void anErrorThatIsNotTheStoresIsNoReasonToRunUnchecked() {
    answer =
        () -> {
          throw new IllegalStateException("the pool is closed");
        };

    assertThat(tracked(STORE_NOW)).isInstanceOf(Wait.class);
  }

  @Test
  void asksAgainUntilTheStoreAnswers() {
    answer =
        () -> {
          if (asked < 3) {
            throw new StoreException("down");
          }
          return Begun.handle(false);
        };

    GuardDecision decision =
        guard.get().decide("work", copy(STORE_NOW, true), Duration.ofMinutes(1), () -> true);

    assertTracked(decision);
    assertThat(asked).isEqualTo(3);
  }

  @Test
  void settlesUnderTheQueuesNameOrTheOneGiven() {
    assertThat(guard.get().consumer("work")).isEqualTo("work");
    options = OPTIONS.withConsumer("billing");
    assertThat(guard.get().consumer("work")).isEqualTo("billing");
  }

  @Test
  void whatCannotBeHeldAgainGoesBackSoonUnlessItWouldBeDroppedForIt() {
    Instant until = STORE_NOW.plusSeconds(60);
    BasicProperties first = copy(STORE_NOW, true);
    Duration patience = Duration.ofSeconds(600);
    assertThat(guard.get().beforeReturn(first, until, patience)).isEqualTo(Duration.ofSeconds(1));

    BasicProperties often = copy(STORE_NOW, true, Map.of("x-delivery-count", 2L));
    assertThat(guard.get().beforeReturn(often, until, patience)).isEqualTo(Duration.ofSeconds(60));
    assertThat(guard.get().beforeReturn(often, STORE_NOW.minusSeconds(9), patience))
        .isEqualTo(Duration.ofSeconds(1));
    assertThat(guard.get().beforeReturn(often, STORE_NOW.plusSeconds(9_999), patience))
        .isEqualTo(patience);
    assertThat(guard.get().beforeReturn(often, until, Duration.ZERO))
        .isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aQueueWhoseNameNoStoreKeepsIsNotConsumed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> guard.get().consume(null, "work ", delivery -> {}))
        .withMessageContaining("'work ' ends with a blank");
  }

  private static void assertTracked(GuardDecision decision) {
    assertThat(decision)
        .asInstanceOf(type(Deliver.class))
        .satisfies(
            deliver -> {
              assertThat(deliver.basis()).isEqualTo(Basis.TRACKED);
              assertThat(deliver.handling()).isNotNull();
              assertThat(deliver.handling().key()).isEqualTo(KEY);
              assertThat(deliver.handling().consumer()).isEqualTo("work");
            });
  }

  private GuardDecision tracked(Instant deliverAt) {
    return guard.get().decide("work", copy(deliverAt, true));
  }

  private GuardDecision untracked(Instant deliverAt) {
    return guard.get().decide("work", copy(deliverAt, false));
  }

  private static BasicProperties copy(Instant deliverAt, boolean tracked) {
    return copy(deliverAt, tracked, Map.of());
  }

  private static BasicProperties copy(
      Instant deliverAt, boolean tracked, Map<String, Object> more) {
    Map<String, Object> headers = new HashMap<>(more);
    headers.put(Headers.ID, KEY.id());
    headers.put(Headers.DELIVER_AT, deliverAt.toEpochMilli());
    if (tracked) {
      headers.put(Headers.ROUTE, KEY.route());
      headers.put(Headers.GENERATION, 1);
    }
    return new BasicProperties.Builder().headers(headers).build();
  }

  /** One guard for each set of options a test uses. */
  private final class Guards {
    private final Map<GuardOptions, DeliveryGuard> guards = new HashMap<>();

    DeliveryGuard get() {
      return guards.computeIfAbsent(
          options, given -> new DeliveryGuard(new Answering(), new FixedClock(), given));
    }

    void close() {
      guards.values().forEach(DeliveryGuard::close);
    }
  }

  private final class Answering implements SettlingStore {
    @Override
    public List<Begun> begin(List<Beginning> copies, Duration lease) {
      return copies.stream()
          .map(
              copy -> {
                asked++;
                return answer.get();
              })
          .toList();
    }

    @Override
    public List<Ended> end(List<Ending> endings) {
      throw new AssertionError("not asked for");
    }

    @Override
    public List<Boolean> extend(List<Handling> handlings, Duration lease) {
      throw new AssertionError("not asked for");
    }

    @Override
    public Instant now() {
      return STORE_NOW;
    }
  }

  private static final class FixedClock implements HandOver {
    @Override
    public Instant now() {
      return STORE_NOW;
    }

    @Override
    public Prepared prepare(DelayedMessage message) {
      throw new AssertionError("not asked for");
    }

    @Override
    public CompletableFuture<HandOverResult> handOver(Claim claim) {
      throw new AssertionError("not asked for");
    }

    @Override
    public void committed(Prepared prepared) {
      throw new AssertionError("not asked for");
    }

    @Override
    public CompletableFuture<PublishReceipt> holdAgain(
        String queue, Delivery received, Instant until) {
      throw new AssertionError("not asked for");
    }

    @Override
    public void removeUnreadable(String queue) {
      throw new AssertionError("not asked for");
    }

    @Override
    public Optional<String> epoch() {
      throw new AssertionError("not asked for");
    }

    @Override
    public Instant horizon() {
      throw new AssertionError("not asked for");
    }
  }
}
