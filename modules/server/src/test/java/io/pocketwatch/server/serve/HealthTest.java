// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.pocketwatch.NativeHold;
import io.pocketwatch.loader.LoaderPresence;
import io.pocketwatch.loader.LoaderState;
import io.pocketwatch.schedule.SchedulesRunner;
import io.pocketwatch.screen.Json;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.server.view.Notice.Code;
import io.pocketwatch.store.OverviewStore.LostChanges;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import io.pocketwatch.store.OverviewStore.OverdueCount.Part;
import io.pocketwatch.store.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HealthTest {
  private static final Instant NEXT = Instant.parse("2026-01-31T00:00:00Z");
  private static final Duration LONG = Duration.ofHours(1);
  private static final Notice STUCK =
      Notice.of(Code.LOADER_STUCK, "quietSeconds", 660L).and("limitSeconds", 600L);
  private static final Notice AHEAD =
      Notice.of(Code.BROKER_AHEAD, "bySeconds", 20L).and("queue", "hold").and("others", 2L);
  private static final SchedulesRunner.State FIRING =
      new SchedulesRunner.State(true, NEXT, null, Map.of());

  @Test
  void up() {
    Health health = well();

    assertThat(health.up()).isTrue();
    assertThat(Json.line(health.json()))
        .startsWith("{\"status\":\"UP\",\"problems\":[],\"warnings\":[]")
        .contains("\"nextRun\":\"2026-01-31T00:00:00Z\"")
        .contains(
            "\"overdue\":{\"count\":0,\"phases\":{\"due\":0,\"sent\":0,\"being-handled\":0,\"retrying\":0},\"oldest\":null");
  }

  @Test
  void down_says_why() {
    assertThat(texts(health("wrong password", look(1, null), state(null), LONG, null).problems()))
        .containsExactly("the broker is not connected: wrong password");
    assertThat(texts(health(null, look(1, "refused"), state(null), LONG, null).problems()))
        .containsExactly("the store does not answer: refused");
  }

  @Test
  void a_broken_hold_queue_is_down() {
    List<String> broken = List.of("pocketwatch.wheel.quorum.1s.30 refuses messages");
    Health health = health(null, look(1, null), state(null), LONG, broken, List.of(), null);

    assertThat(texts(health.problems()))
        .containsExactly(
            "hold queues broken (1), see 'pocketwatch repair':"
                + " pocketwatch.wheel.quorum.1s.30 refuses messages");
    assertThat(Json.line(health.json()))
        .contains("\"brokenHoldQueues\":[\"pocketwatch.wheel.quorum.1s.30 refuses messages\"]");
  }

  @Test
  void a_broker_that_takes_no_messages_is_down_though_it_is_connected() {
    HoldWatch.Look blocked =
        new HoldWatch.Look(List.of(), Code.HOLDS_BROKEN, "low on memory", null, null, null);

    assertThat(texts(with(blocked).problems()))
        .containsExactly("the broker has blocked publishers: low on memory");
  }

  @Test
  void hold_queues_that_cannot_be_tested_are_a_warning() {
    HoldWatch.Look untested =
        new HoldWatch.Look(List.of(), Code.HOLDS_BROKEN, null, "ACCESS_REFUSED", null, null);

    assertThat(with(untested).up()).isTrue();
    assertThat(texts(with(untested).warnings()))
        .containsExactly("the hold queues are not tested: ACCESS_REFUSED");
  }

  @Test
  void a_policy_that_does_harm_is_a_problem() {
    HoldWatch.Look harmed =
        new HoldWatch.Look(
            List.of(), Code.HOLDS_BROKEN, null, null, null, "policies reach our queues: …");

    assertThat(texts(with(harmed).problems())).containsExactly("policies reach our queues: …");
  }

  @Test
  void a_wrong_clock_of_the_broker_is_a_warning() {
    HoldWatch.Look wrong =
        new HoldWatch.Look(List.of(), Code.HOLDS_BROKEN, null, null, AHEAD, null);

    assertThat(with(wrong).up()).isTrue();
    assertThat(texts(with(wrong).warnings()))
        .containsExactly(
            "the broker's clock is at least 20 s ahead of this machine's, at the node that leads"
                + " hold (other hold queues: 2): set it right (NTP), messages may be early or late"
                + " by that");
  }

  @Test
  void a_store_that_has_lost_what_it_confirmed_is_a_warning_with_what_to_do() {
    LostChanges lost = new LostChanges(NEXT.minusSeconds(2), NEXT.minusSeconds(1));
    StoreWatch.Look look =
        new StoreWatch.Look(
            new LoaderPresence(1, Optional.empty()), List.of(), NEXT, lost, null, 0);
    Health health = health(null, look, state(null), LONG, null);

    assertThat(health.up()).isTrue();
    assertThat(texts(health.warnings()))
        .singleElement()
        .asString()
        .contains("made after 2026-01-30T23:59:58Z and up to 2026-01-30T23:59:59Z")
        .contains("Repeat what you know of, and restart this server");
  }

  @Test
  void schedules_that_do_not_fire_are_a_warning_each() {
    SchedulesRunner.State trouble =
        new SchedulesRunner.State(true, NEXT, "deadlock", Map.of("report", "no route 'gone'"));
    Health health =
        new Health(
            null,
            "4.3.6",
            "H2",
            look(1, null),
            state(null),
            LONG,
            null,
            HoldWatch.Look.UNBROKEN,
            DeadLetterWatch.Look.NONE,
            NativeHold.NOT_ASKED,
            List.of(),
            trouble,
            List.of("mail", "report"),
            null);

    assertThat(health.up()).isTrue();
    assertThat(texts(health.warnings()))
        .containsExactly(
            "schedules do not fire: deadlock",
            "schedule report cannot fire: no route 'gone'",
            "schedule mail has not fired for two intervals");
    assertThat(Json.line(health.json()))
        .contains("\"failing\":[\"report\"]", "\"late\":[\"mail\",\"report\"]");
  }

  private static Health with(HoldWatch.Look holds) {
    return new Health(
        null,
        "4.3.6",
        "H2",
        look(1, null),
        state(null),
        LONG,
        null,
        holds,
        DeadLetterWatch.Look.NONE,
        NativeHold.NOT_ASKED,
        List.of(),
        FIRING,
        List.of(),
        null);
  }

  @Test
  void a_loader_that_gets_nowhere_is_down_even_while_others_load() {
    HoldWatch.Look holds = HoldWatch.Look.UNBROKEN;
    Health health =
        new Health(
            null,
            "4.3.6",
            "H2",
            look(2, null),
            state(null),
            LONG,
            STUCK,
            holds,
            DeadLetterWatch.Look.NONE,
            NativeHold.NOT_ASKED,
            List.of(),
            FIRING,
            List.of(),
            null);

    assertThat(texts(health.problems())).containsExactly(STUCK.text());
  }

  @Test
  void nobody_loads_is_down_but_for_a_moment_after_the_start() {
    assertThat(texts(health(null, look(0, null), state(null), LONG, null).problems()))
        .singleElement()
        .asString()
        .startsWith("nobody loads");
    Duration justNow = Duration.ofSeconds(3);
    assertThat(health(null, look(0, null), state(null), justNow, null).up()).isTrue();
  }

  @Test
  void what_works_but_should_be_looked_at_is_a_warning() {
    List<Notice> waiting =
        List.of(Notice.of(Code.CALLBACKS_WAIT, "route", "hooks").and("reason", "no queue"));
    LoaderState loader = state("no route");
    Health health = health(null, look(1, null), loader, LONG, List.of(), waiting, "file: key: bad");

    assertThat(health.up()).isTrue();
    assertThat(texts(health.warnings()))
        .containsExactly(
            "the last load ended early: no route",
            "callbacks of route hooks wait: no queue",
            "the configuration file is not used as it is now: file: key: bad");
  }

  /** Each route by itself, the longest first; not what is late by little, or was put off. */
  @Test
  void what_is_overdue_is_a_warning_with_count_and_age() {
    OverdueCount slow = overdue("slow", part(0, 0), part(1, 300), part(2, 250), part(5, 9_000));
    OverdueCount mail = overdue("mail", part(2, 2_700), part(9, 2_400), Part.NONE, Part.NONE);
    OverdueCount busy = overdue("busy", Part.NONE, part(70, 60), Part.NONE, Part.NONE);
    OverdueCount retried = overdue("retried", Part.NONE, Part.NONE, Part.NONE, part(4, 9_000));
    Health health = health(null, look(List.of(busy, mail, retried, slow)), state("x"), LONG, null);

    assertThat(texts(health.warnings()))
        .containsExactly(
            "the last load ended early: x",
            "route mail: 11 overdue, the oldest for 45 min, and it settles none; 2 due, 9 sent,"
                + " 0 being handled",
            "route slow: 3 overdue, the oldest for 5 min; 0 due, 1 sent," + " 2 being handled");
    assertThat(Json.line(health.warnings().get(2).json()))
        .startsWith(
            "{\"code\":\"overdue\",\"params\":{\"count\":3,\"oldestSeconds\":300,\"route\":\"slow\"")
        .contains("\"text\":\"route slow: 3 overdue");
    assertThat(Json.line(health.json()))
        .contains(
            "\"overdue\":{\"count\":93,\"phases\":{\"due\":2,\"sent\":80,\"being-handled\":2,\"retrying\":9}");
  }

  @Test
  void of_many_overdue_routes_those_behind_the_first_twenty_are_summed_up() {
    List<OverdueCount> routes =
        IntStream.range(0, 25)
            .mapToObj(i -> overdue("r" + i, part(2, 1_000 + i), Part.NONE, Part.NONE, Part.NONE))
            .toList();
    Health health = health(null, look(routes), state(null), LONG, null);

    assertThat(texts(health.warnings()))
        .hasSize(21)
        .startsWith("route r24: 2 overdue, the oldest for 17 min; 2 due, 0 sent, 0 being handled")
        .endsWith("5 more routes: 10 overdue, the oldest for 16 min");
  }

  private static OverdueCount overdue(
      String route, Part due, Part sent, Part beingHandled, Part retrying) {
    return new OverdueCount(
        route,
        Map.of(
            Phase.DUE, due,
            Phase.SENT, sent,
            Phase.BEING_HANDLED, beingHandled,
            Phase.RETRYING, retrying));
  }

  private static Part part(long count, int seconds) {
    return new Part(count, count == 0 ? null : NEXT.minusSeconds(seconds));
  }

  private static List<String> texts(List<Notice> notices) {
    return notices.stream().map(Notice::text).toList();
  }

  @Test
  void its_numbers_can_be_alerted_on() {
    List<String> broken = List.of("one refuses messages", "two refuses messages");
    AtomicReference<Health> health = new AtomicReference<>(well());
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new HealthGauges(health::get).bindTo(registry);
    assertThat(registry.getMeters()).hasSize(3);
    assertThat(List.of("health.problems", "health.warnings", "hold.queues.broken"))
        .allSatisfy(name -> assertThat(value(registry, name)).isZero());

    health.set(
        health("wrong password", look(1, null), state("no route"), LONG, broken, List.of(), null));

    assertThat(value(registry, "health.problems")).isEqualTo(2);
    assertThat(value(registry, "health.warnings")).isEqualTo(1);
    assertThat(value(registry, "hold.queues.broken")).isEqualTo(2);
  }

  private static double value(SimpleMeterRegistry registry, String name) {
    return registry.get("pocketwatch." + name).gauge().value();
  }

  static Health well() {
    return health(null, look(1, null), state(null), LONG, null);
  }

  private static Health health(
      @Nullable String notConnected,
      StoreWatch.Look look,
      LoaderState state,
      Duration loadsFor,
      String fileProblem) {
    return health(notConnected, look, state, loadsFor, List.of(), List.of(), fileProblem);
  }

  private static Health health(
      @Nullable String notConnected,
      StoreWatch.Look look,
      LoaderState state,
      Duration loadsFor,
      List<String> broken,
      List<Notice> waitingCallbacks,
      String fileProblem) {
    HoldWatch.Look holds = new HoldWatch.Look(broken, Code.HOLDS_BROKEN);
    return new Health(
        notConnected,
        "4.3.6",
        "H2",
        look,
        state,
        loadsFor,
        null,
        holds,
        DeadLetterWatch.Look.NONE,
        NativeHold.NOT_ASKED,
        waitingCallbacks,
        FIRING,
        List.of(),
        fileProblem);
  }

  private static StoreWatch.Look look(int alive, @Nullable String error) {
    return new StoreWatch.Look(
        new LoaderPresence(alive, Optional.empty()), List.of(), NEXT, null, error, 0);
  }

  private static StoreWatch.Look look(List<OverdueCount> overdue) {
    return new StoreWatch.Look(
        new LoaderPresence(1, Optional.empty()), overdue, NEXT, null, null, 0);
  }

  private static LoaderState state(@Nullable String error) {
    return new LoaderState(
        "loader", true, null, NEXT, null, 0, error, error == null ? Set.of() : Set.of("mail"));
  }
}
