// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.pocketwatch.NativeHold;
import io.pocketwatch.loader.LoaderPresence;
import io.pocketwatch.loader.LoaderState;
import io.pocketwatch.schedule.SchedulesRunner;
import io.pocketwatch.screen.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HealthTest {
  private static final Instant NEXT = Instant.parse("2026-01-31T00:00:00Z");
  private static final Duration LONG = Duration.ofHours(1);
  private static final SchedulesRunner.State FIRING =
      new SchedulesRunner.State(true, NEXT, null, Map.of());

  @Test
  void up() {
    Health health = well();

    assertThat(health.up()).isTrue();
    assertThat(Json.line(health.json()))
        .startsWith("{\"status\":\"UP\",\"problems\":[],\"warnings\":[]")
        .contains("\"nextRun\":\"2026-01-31T00:00:00Z\"", "\"lagSeconds\":1.5");
  }

  @Test
  void down_says_why() {
    assertThat(health("wrong password", look(1, null), state(null, false), LONG, null).problems())
        .containsExactly("the broker is not connected: wrong password");
    assertThat(health(null, look(1, "refused"), state(null, false), LONG, null).problems())
        .containsExactly("the store does not answer: refused");
    assertThat(health(null, look(1, null), state(null, true), LONG, null).problems())
        .containsExactly("nothing is loaded: this machine's clock is 40000 ms off the store's");
  }

  @Test
  void a_broken_hold_queue_is_down() {
    List<String> broken = List.of("pocketwatch.wheel.quorum.1s.30 refuses messages");
    Health health = health(null, look(1, null), state(null, false), LONG, broken, List.of(), null);

    assertThat(health.problems())
        .containsExactly(
            "1 hold queue broken, see 'pocketwatch repair':"
                + " pocketwatch.wheel.quorum.1s.30 refuses messages");
    assertThat(Json.line(health.json()))
        .contains("\"brokenHoldQueues\":[\"pocketwatch.wheel.quorum.1s.30 refuses messages\"]");
  }

  @Test
  void a_broker_that_takes_no_messages_is_down_though_it_is_connected() {
    HoldWatch.Look blocked =
        new HoldWatch.Look(List.of(), "", "blocked: low on memory", null, null, null);

    assertThat(with(blocked).problems()).containsExactly("blocked: low on memory");
  }

  @Test
  void hold_queues_that_cannot_be_tested_are_a_warning() {
    HoldWatch.Look untested = new HoldWatch.Look(List.of(), "", null, "ACCESS_REFUSED", null, null);

    assertThat(with(untested).up()).isTrue();
    assertThat(with(untested).warnings())
        .containsExactly("the hold queues are not tested: ACCESS_REFUSED");
  }

  @Test
  void a_policy_that_does_harm_is_a_problem() {
    HoldWatch.Look harmed =
        new HoldWatch.Look(List.of(), "", null, null, null, "policies reach our queues: …");

    assertThat(with(harmed).problems()).containsExactly("policies reach our queues: …");
  }

  @Test
  void a_wrong_clock_of_the_broker_is_a_warning() {
    HoldWatch.Look wrong = new HoldWatch.Look(List.of(), "", null, null, "it is 20 s ahead", null);

    assertThat(with(wrong).up()).isTrue();
    assertThat(with(wrong).warnings()).containsExactly("it is 20 s ahead");
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
            state(null, false),
            LONG,
            null,
            HoldWatch.Look.UNBROKEN,
            KeptWatch.Look.NONE,
            NativeHold.NOT_ASKED,
            List.of(),
            trouble,
            List.of("mail", "report"),
            null);

    assertThat(health.up()).isTrue();
    assertThat(health.warnings())
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
        state(null, false),
        LONG,
        null,
        holds,
        KeptWatch.Look.NONE,
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
            state(null, false),
            LONG,
            "it is stuck",
            holds,
            KeptWatch.Look.NONE,
            NativeHold.NOT_ASKED,
            List.of(),
            FIRING,
            List.of(),
            null);

    assertThat(health.problems()).containsExactly("it is stuck");
  }

  @Test
  void nobody_loads_is_down_but_for_a_moment_after_the_start() {
    assertThat(health(null, look(0, null), state(null, false), LONG, null).problems())
        .singleElement()
        .asString()
        .startsWith("nobody loads");
    Duration justNow = Duration.ofSeconds(3);
    assertThat(health(null, look(0, null), state(null, false), justNow, null).up()).isTrue();
  }

  @Test
  void what_works_but_should_be_looked_at_is_a_warning() {
    List<String> waiting = List.of("callbacks of route hooks wait: no queue");
    LoaderState loader = state("no route", false);
    Health health = health(null, look(1, null), loader, LONG, List.of(), waiting, "file: key: bad");

    assertThat(health.up()).isTrue();
    assertThat(health.warnings())
        .containsExactly(
            "the last load ended early: no route",
            "route mail has overdue messages and settles none",
            "callbacks of route hooks wait: no queue",
            "the configuration file is not used as it is now: file: key: bad");
  }

  @Test
  void its_numbers_can_be_alerted_on() {
    List<String> broken = List.of("one refuses messages", "two refuses messages");
    AtomicReference<Health> health = new AtomicReference<>(well());
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new HealthGauges(health::get).bindTo(registry);
    assertThat(registry.getMeters()).hasSize(4);
    assertThat(List.of("health.problems", "health.warnings", "hold.queues.broken"))
        .allSatisfy(name -> assertThat(value(registry, name)).isZero());

    health.set(
        health(
            "wrong password",
            look(1, null),
            state("no route", false),
            LONG,
            broken,
            List.of(),
            null));

    assertThat(value(registry, "health.problems")).isEqualTo(2);
    assertThat(value(registry, "health.warnings")).isEqualTo(2);
    assertThat(value(registry, "hold.queues.broken")).isEqualTo(2);
    assertThat(registry.get("pocketwatch.overdue").timeGauge().value(TimeUnit.SECONDS))
        .isEqualTo(1.5);
  }

  private static double value(SimpleMeterRegistry registry, String name) {
    return registry.get("pocketwatch." + name).gauge().value();
  }

  static Health well() {
    return health(null, look(1, null), state(null, false), LONG, null);
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
      List<String> waitingCallbacks,
      String fileProblem) {
    HoldWatch.Look holds = new HoldWatch.Look(broken, "see 'pocketwatch repair'");
    return new Health(
        notConnected,
        "4.3.6",
        "H2",
        look,
        Map.of(),
        state,
        loadsFor,
        null,
        holds,
        KeptWatch.Look.NONE,
        NativeHold.NOT_ASKED,
        waitingCallbacks,
        FIRING,
        List.of(),
        fileProblem);
  }

  private static StoreWatch.Look look(int alive, String error) {
    return new StoreWatch.Look(
        new LoaderPresence(alive, Optional.empty()), Duration.ofMillis(1_500), error, 0);
  }

  private static LoaderState state(String error, boolean refused) {
    return new LoaderState(
        "loader",
        true,
        null,
        NEXT,
        null,
        0,
        error,
        error == null ? Set.of() : Set.of("mail"),
        Duration.ofSeconds(-40),
        refused);
  }
}
