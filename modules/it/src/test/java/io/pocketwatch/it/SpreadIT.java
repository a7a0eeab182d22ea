// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.config.WheelOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What is due at one instant, on a route with a spread. */
class SpreadIT {
  private static final WheelOptions WHEEL =
      World.SMALL_WHEEL.toBuilder().maxDelay(Duration.ofMinutes(3)).build();

  private World world;
  private String queue;

  @BeforeEach
  void open() throws Exception {
    world = World.of(SpreadIT.class);
    queue = world.queue("spread", Map.of("x-queue-type", "quorum"));
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  @Test
  void what_is_due_at_one_instant_comes_evenly_and_never_early() {
    Duration spread = Duration.ofSeconds(5);
    Inbox inbox = world.inbox(queue);

    List<PublishReceipt> receipts = publish(5_000, Duration.ofSeconds(2), spread);
    List<Inbox.Arrival> arrivals = inbox.await(receipts.size(), Duration.ofMinutes(1));

    assertThat(perSecond(receipts, PublishReceipt::deliverAt))
        .hasSize(5)
        .allSatisfy(count -> assertThat(count).isCloseTo(1_000, within20Percent(1_000)));
    Map<String, PublishReceipt> byId =
        receipts.stream().collect(Collectors.toMap(PublishReceipt::id, Function.identity()));
    assertThat(arrivals)
        .allMatch(one -> !one.at().isBefore(byId.get(one.id()).deliverAt()))
        .allMatch(
            one ->
                one.properties()
                    .getHeaders()
                    .get(Headers.DELIVER_AT)
                    .equals(byId.get(one.id()).deliverAt().toEpochMilli()));
    assertThat(inbox.ids()).containsAll(byId.keySet());
  }

  /** Needs a quiet machine: it is the broker and the consumer that are to be even here. */
  @Test
  @EnabledIfSystemProperty(named = "pocketwatch.spread.messages", matches = "\\d+")
  void the_consumers_rate_is_even() {
    int count = Integer.getInteger("pocketwatch.spread.messages");
    Duration spread = Duration.ofSeconds(60);
    Inbox inbox = world.inbox(queue);

    publish(count, Duration.ofSeconds(45), spread);
    List<Inbox.Arrival> arrivals = inbox.await(count, Duration.ofMinutes(3));

    List<Integer> rates = perSecond(arrivals, Inbox.Arrival::at);
    System.out.println(count + " in 60 s, arrivals per second: " + rates);
    System.out.println("Lateness: " + percentiles(arrivals));
    assertThat(arrivals).allMatch(one -> !one.lateness().isNegative());
    int even = count / 60;
    assertThat(rates.subList(1, 59))
        .allSatisfy(rate -> assertThat(rate).isCloseTo(even, within20Percent(even)));
  }

  @Test
  void a_tracked_message_that_is_sent_again_is_the_same_message() throws Exception {
    String target = world.target("spread-tracked");
    try (StoreWorld database = new StoreWorld()) {
      DelayRoute route =
          DelayRoute.builder("tracked")
              .exchange(target)
              .spread(Duration.ofMinutes(1))
              .tracking(Tracking.FULL)
              .build();
      DelayedPublisher publisher =
          world.publisher(world.routes().toBuilder().route(route).build(), database.store());
      Instant due = Instant.now().plusSeconds(600).truncatedTo(ChronoUnit.MILLIS);
      DelayedMessage message = DelayedMessage.to(target, "key").id("o-1").deliverAt(due);

      PublishReceipt first = Futures.get(publisher.publish(message));
      PublishReceipt second = Futures.get(publisher.publish(message));

      assertThat(first.duplicate()).isFalse();
      assertThat(second.duplicate()).isTrue();
      assertThat(first.deliverAt()).isEqualTo(due.plus(first.spread()));
      assertThat(second.deliverAt()).isEqualTo(first.deliverAt());
    }
  }

  private List<PublishReceipt> publish(int count, Duration ahead, Duration spread) {
    DelayRoutes routes =
        world.routes().toBuilder()
            .defaults(DelayRoute.defaults().toBuilder().spread(spread).build())
            .hold(HoldOptions.builder().namePrefix(world.prefix()).wheel(WHEEL).build())
            .publisher(PublisherOptions.defaults()) // patient, as a loaded machine needs it
            .build();
    DelayedPublisher publisher = world.publisher(routes);
    Instant due = Instant.now().plus(ahead).truncatedTo(ChronoUnit.SECONDS);
    List<CompletableFuture<PublishReceipt>> futures = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      futures.add(
          publisher.publish(DelayedMessage.toQueue(queue).id("spread-" + i).deliverAt(due)));
    }
    List<PublishReceipt> receipts = futures.stream().map(CompletableFuture::join).toList();
    assertThat(Futures.outcomes(receipts)).containsOnly(PublishOutcome.CONFIRMED);
    assertThat(receipts)
        .allMatch(one -> one.deliverAt().equals(due.plus(one.spread())))
        .allMatch(one -> one.spread().compareTo(spread) < 0);
    return receipts;
  }

  private static <T> List<Integer> perSecond(List<T> all, Function<T, Instant> instant) {
    List<Long> seconds =
        all.stream().map(each -> instant.apply(each).getEpochSecond()).sorted().toList();
    int[] counts = new int[(int) (seconds.get(seconds.size() - 1) - seconds.get(0)) + 1];
    seconds.forEach(each -> counts[(int) (each - seconds.get(0))]++);
    return IntStream.of(counts).boxed().toList();
  }

  private static String percentiles(List<Inbox.Arrival> arrivals) {
    List<Duration> sorted = arrivals.stream().map(Inbox.Arrival::lateness).sorted().toList();
    return "p50 %s, p99 %s, max %s"
        .formatted(
            sorted.get(sorted.size() / 2),
            sorted.get(sorted.size() * 99 / 100),
            sorted.get(sorted.size() - 1));
  }

  private static Offset<Integer> within20Percent(int even) {
    return within(even / 5);
  }
}
