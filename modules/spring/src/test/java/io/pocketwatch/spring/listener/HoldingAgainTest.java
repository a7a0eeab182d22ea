// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardDecision.HoldAgain;
import io.pocketwatch.guard.GuardDecision.Reason;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOver;
import io.pocketwatch.store.HandOverResult;
import io.pocketwatch.store.SettlingStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;

/** What becomes of a copy that the broker does not take back on hold. */
class HoldingAgainTest {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final CompletableFuture<PublishReceipt> closed =
      CompletableFuture.failedFuture(new IllegalStateException("the publisher is closed"));
  private Supplier<CompletableFuture<PublishReceipt>> answer = () -> closed;
  private int tries;
  private final DeliveryGuard guard =
      new DeliveryGuard(unused(), new Refusing(), GuardOptions.defaults());

  @AfterEach
  void close() {
    guard.close();
  }

  /** Else it would be dropped for that by its queue. */
  @Test
  void one_that_was_returned_often_waits_longer_than_a_second_before_it_is_returned_again() {
    Wanted wanted = new Wanted(Duration.ofMillis(1_500));
    assertThat(hold(wanted, 2)).isFalse();
    assertThat(wanted.ended).as("nobody wanted it before the pause was over").isTrue();
    assertThat(tries).isEqualTo(1);
  }

  @Test
  void another_one_is_returned_after_a_second() {
    Wanted wanted = new Wanted(Duration.ofSeconds(10));
    Instant begin = Instant.now();
    assertThat(hold(wanted, 1)).isFalse();
    assertThat(Duration.between(begin, Instant.now())).isGreaterThanOrEqualTo(seconds(1));
    assertThat(wanted.ended).isFalse();
  }

  @Test
  void one_that_cannot_be_returned_is_tried_until_it_is_to_be_handled() {
    answer = HoldingAgainTest::refused;
    Instant until = Instant.now().plusMillis(350);
    assertThat(holdByThen(new Wanted(seconds(10)), until)).isFalse();
    assertThat(tries).isGreaterThan(1);
    assertThat(Instant.now()).isBetween(until.minusMillis(1), until.plusSeconds(5));
  }

  @Test
  void one_that_nobody_waits_for_any_more_is_not() {
    answer = HoldingAgainTest::refused;
    Instant until = Instant.now().plusSeconds(3_600);
    assertThat(holdByThen(new Wanted(Duration.ofMillis(150)), until)).isFalse();
    assertThat(Instant.now()).isBefore(until);
  }

  private boolean hold(Wanted wanted, long returns) {
    return HoldingAgain.hold(
        judge(wanted), guard, message(returns), again(Instant.now().plusSeconds(3_600)), PATIENCE);
  }

  private boolean holdByThen(Wanted wanted, Instant until) {
    return HoldingAgain.holdByThen(judge(wanted), guard, message(0), again(until));
  }

  private Judge judge(BooleanSupplier wanted) {
    return new Judge(guard, guard.options(), "work", wanted);
  }

  private static HoldAgain again(Instant until) {
    return new HoldAgain(until, Reason.EARLY);
  }

  private static Message message(long returns) {
    MessageProperties properties = new MessageProperties();
    Copies.untracked("17", Instant.now(), Map.of("x-delivery-count", returns))
        .getHeaders()
        .forEach(properties::setHeader);
    return new Message(new byte[1], properties);
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  private static CompletableFuture<PublishReceipt> refused() {
    return CompletableFuture.completedFuture(
        new PublishReceipt(
            "17",
            "held-again",
            PublishOutcome.REJECTED,
            "the broker has blocked publishers",
            DelayStrategy.QUEUE_WHEEL,
            "",
            Instant.now(),
            false));
  }

  /** For so long, and notes when that was over. */
  private static final class Wanted implements BooleanSupplier {
    private final long deadline;
    private boolean ended;

    Wanted(Duration length) {
      deadline = System.nanoTime() + length.toNanos();
    }

    @Override
    public boolean getAsBoolean() {
      ended = System.nanoTime() - deadline >= 0;
      return !ended;
    }
  }

  private static SettlingStore unused() {
    return (SettlingStore)
        Proxy.newProxyInstance(
            HoldingAgainTest.class.getClassLoader(),
            new Class<?>[] {SettlingStore.class},
            (proxy, method, arguments) -> {
              throw new AssertionError("not asked for: " + method);
            });
  }

  private final class Refusing implements HandOver {
    @Override
    public CompletableFuture<PublishReceipt> holdAgain(
        String queue, Delivery received, Instant until) {
      tries++;
      return answer.get();
    }

    @Override
    public Instant now() {
      return Instant.now();
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
