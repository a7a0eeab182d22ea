// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.NativeHold;
import io.pocketwatch.PublisherStatus;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whose turn it is, at a time that goes on by 100 ms with each claim. */
class DuePollerTest {
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");
  private static final Duration CLAIM_TAKES = Duration.ofMillis(100);

  /** Of one among several. */
  private static final int SHARE = 200;

  private final Map<String, Integer> rows = new TreeMap<>();
  private final Map<String, Integer> claimed = new TreeMap<>();
  private final List<String> turns = new ArrayList<>();
  private final LoaderContext work =
      work("big", "small", "late", "fed", "a", "b", "silent", "sound");
  private Duration time = Duration.ZERO;

  /** What comes in with each claim, and where. */
  private String fed = "";

  /** How many claims find no room. */
  private int without;

  /** Whether the broker answers at once. */
  private boolean answers = true;

  private int mostAtOnce;

  /** How often all routes were looked at. */
  private int inFull;

  @Test
  void a_backlog_of_one_route_leaves_every_other_turn_to_another() {
    rows.put("big", 20_000);
    rows.put("small", 1_200);

    assertThat(look()).isEqualTo(21_200);

    assertThat(turns.subList(0, 6)).containsExactly("big", "small", "big", "small", "big", "small");
    assertThat(mostAtOnce).isEqualTo(SHARE);
  }

  @Test
  void a_route_that_is_alone_takes_a_quarter_of_the_places_at_once() {
    rows.put("only", 20_000);

    look(work("only"));

    assertThat(mostAtOnce).isEqualTo(500);
  }

  @Test
  void a_route_that_gets_due_during_a_look_has_its_turn_within_a_second_and_comes_first() {
    rows.put("big", 20_000);
    rows.put("late", 0);
    fed = "late"; // after the third claim

    look();

    int first = turns.indexOf("late");
    assertThat(CLAIM_TAKES.multipliedBy(first)).isLessThanOrEqualTo(Duration.ofSeconds(1));
    assertThat(first).isPositive();
  }

  @Test
  void a_route_that_is_fed_as_fast_as_it_is_claimed_holds_up_nobody() {
    rows.put("fed", 1_000);
    rows.put("small", 0);
    fed = "fed and small";

    look();

    assertThat(turns.size()).as("it went on for long").isGreaterThan(50);
    int gap = 0;
    int longest = 0;
    for (String turn : turns.subList(0, 100)) { // as long as it is fed
      gap = turn.equals("small") ? 0 : gap + 1;
      longest = Math.max(longest, gap);
    }
    assertThat(CLAIM_TAKES.multipliedBy(longest)).isLessThanOrEqualTo(Duration.ofMillis(1_200));
  }

  @Test
  void whoever_finds_no_room_stays_first() {
    rows.put("a", 600);
    rows.put("b", 600);
    without = 2;

    assertThat(look()).isEqualTo(1_200);

    assertThat(turns.subList(0, 4)).containsExactly("a", "a", "a", "b");
  }

  @Test
  void two_shares_at_most_wait_for_the_brokers_answer() {
    rows.put("silent", 5_000);
    rows.put("sound", 0);
    answers = false;

    look();

    assertThat(claimed.get("silent")).isEqualTo(2 * SHARE);
  }

  @Test
  void a_route_that_only_others_have_configured_is_found_by_a_look_in_full() {
    DuePoller look = new DuePoller(work, new RateLimit(null), () -> time.toNanos());
    look.look();
    rows.put("elsewhere", 1);
    assertThat(look.look()).isZero();
    assertThat(inFull).as("on the thread that sends what is due").isZero();

    look.lookInFull();
    assertThat(inFull).isOne();
    assertThat(look.look()).isEqualTo(1);
    rows.put("elsewhere", 1);
    assertThat(look.look()).as("known by now").isEqualTo(1);
  }

  private long look() {
    return look(work);
  }

  private long look(LoaderContext with) {
    return new DuePoller(with, new RateLimit(null), () -> time.toNanos()).look();
  }

  /** By how much a claim finds more than was there before. */
  private void feed() {
    switch (fed) {
      case "late" -> {
        if (turns.size() == 3) {
          rows.put("late", 10);
        }
      }
      case "fed and small" -> {
        if (turns.size() < 100) {
          rows.merge("fed", SHARE, Integer::sum);
          rows.merge("small", 1, Integer::sum);
        }
      }
      default -> {}
    }
  }

  private OptionalInt claim(String route, int share) {
    turns.add(route);
    time = time.plus(CLAIM_TAKES);
    if (without > 0) {
      without--;
      return OptionalInt.empty();
    }
    int taken = Math.min(share, rows.get(route));
    rows.merge(route, -taken, Integer::sum);
    mostAtOnce = Math.max(mostAtOnce, taken);
    claimed.merge(route, taken, Integer::sum);
    feed();
    return OptionalInt.of(taken);
  }

  private int unanswered(String route) {
    if (answers) {
      return 0;
    }
    time = time.plus(CLAIM_TAKES);
    if (time.compareTo(Duration.ofSeconds(2)) > 0) {
      work.stop();
    }
    return claimed.getOrDefault(route, 0);
  }

  private List<String> due(@Nullable Object among) {
    inFull += among == null ? 1 : 0;
    return rows.keySet().stream()
        .filter(route -> rows.get(route) > 0)
        .filter(route -> among == null || ((Set<?>) among).contains(route))
        .toList();
  }

  private LoaderContext work(String... configured) {
    return new LoaderContext(publisher(configured), List.of());
  }

  private TrackedPublisher publisher(String... configured) {
    DelayRoutes.Builder routes = DelayRoutes.builder();
    for (String name : configured) {
      routes.route(DelayRoute.builder(name).exchange(name).tracking(Tracking.FULL).build());
    }
    DelayRoutes built = routes.build();
    PublisherStatus status =
        new PublisherStatus(
            true, null, null, "4.3.6", Optional.empty(), NativeHold.NOT_ASKED, Set.of());
    HandOff handOff =
        fake(
            HandOff.class,
            (method, arguments) ->
                switch (method) {
                  case "now" -> NOW.plus(time);
                  case "claimedDue" -> unanswered((String) arguments[0]);
                  case "claimDue" -> claim((String) arguments[0], (int) arguments[1]);
                  default -> throw new UnsupportedOperationException(method);
                });
    DelayStore store = fake(DelayStore.class, (method, arguments) -> due(arguments[1]));
    return fake(
        TrackedPublisher.class,
        (method, arguments) ->
            switch (method) {
              case "routes" -> built;
              case "status" -> status;
              case "unwrap" -> arguments[0] == HandOff.class ? handOff : store;
              default -> throw new UnsupportedOperationException(method);
            });
  }

  interface Answer {
    Object to(String method, Object[] arguments);
  }

  /** Only what is asked of it. */
  static <T> T fake(Class<T> type, Answer answer) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answer.to(method.getName(), arguments));
    return type.cast(proxy);
  }
}
