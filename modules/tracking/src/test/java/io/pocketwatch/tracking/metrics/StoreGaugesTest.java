// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.tracking.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import io.pocketwatch.store.OverviewStore.OverdueCount.Part;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.StoreException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StoreGaugesTest {
  private static final Instant STORE_NOW = Instant.parse("2026-03-01T10:00:00Z");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private List<LoaderHeartbeat> heartbeats = List.of();
  private List<OverdueCount> overdue = List.of();
  private @Nullable String snapshot;
  private boolean away;
  private long nanoTime = Long.MAX_VALUE - 1; // it may overflow
  private StoreGauges gauges;

  @BeforeEach
  void bind() {
    gauges = new StoreGauges(store(), DelayRoutes.none(), () -> nanoTime);
    gauges.bindTo(registry);
  }

  @Test
  void the_age_of_a_heartbeat_grows_on_while_the_database_is_away() {
    heartbeats = List.of(beat(70), beat(7));
    gauges.refresh();
    assertThat(age()).isEqualTo(7);

    away = true;
    pass(Duration.ofSeconds(15));
    assertThatThrownBy(gauges::refresh).isInstanceOf(StoreException.class);
    assertThat(age()).isEqualTo(22);
    pass(Duration.ofMinutes(10));
    assertThat(age()).isEqualTo(622);

    away = false;
    heartbeats = List.of(beat(1));
    gauges.refresh();
    assertThat(age()).isEqualTo(1);
  }

  @Test
  void without_any_heartbeat_there_is_no_age() {
    assertThat(age()).as("before the first look").isNaN();
    gauges.refresh();
    assertThat(age()).isNaN();
  }

  @Test
  void what_is_overdue_grows_older_while_the_database_is_away() {
    String route = DelayRoutes.none().defaults().name();
    Part sent = new Part(9, STORE_NOW.minusSeconds(60));
    overdue = List.of(new OverdueCount(route, Map.of(Phase.SENT, sent)));
    gauges.refresh();
    pass(Duration.ofSeconds(15));

    assertThat(late("messages", route, "sent")).isEqualTo(9);
    assertThat(late("oldest", route, "sent")).isEqualTo(75);
    assertThat(late("messages", route, "due")).isZero();
    assertThat(late("oldest", route, "due")).isZero();
  }

  @Test
  void every_tag_of_a_phase_is_its_code() {
    assertThat(registry.getMeters())
        .extracting(each -> each.getId().getTag("phase"))
        .filteredOn(Objects::nonNull)
        .containsOnlyElementsOf(Phase.overdue().stream().map(Phase::code).toList());
  }

  @Test
  void the_oldest_snapshot_grows_older_for_as_long_as_it_is_the_same() {
    gauges.refresh();
    assertThat(oldest()).as("there is none").isZero();
    snapshot = "4711";
    gauges.refresh();
    pass(Duration.ofSeconds(15));
    gauges.refresh();
    assertThat(oldest()).isEqualTo(15);

    snapshot = "4712";
    gauges.refresh();
    assertThat(oldest()).isZero();
    pass(Duration.ofMinutes(10));
    gauges.refresh();
    assertThat(oldest()).isEqualTo(600);
    snapshot = null;
    gauges.refresh();
    assertThat(oldest()).isZero();
  }

  private double oldest() {
    return registry.get("pocketwatch.oldest.snapshot.age").gauge().value();
  }

  private double late(String what, String route, String phase) {
    return registry
        .get("pocketwatch.overdue." + what)
        .tags("route", route, "phase", phase)
        .gauge()
        .value();
  }

  private double age() {
    return registry.get("pocketwatch.loader.heartbeat.age").gauge().value();
  }

  private void pass(Duration time) {
    nanoTime += time.toNanos();
  }

  private static LoaderHeartbeat beat(int secondsAgo) {
    return new LoaderHeartbeat("a", STORE_NOW.minusSeconds(secondsAgo), STORE_NOW, 0, null, null);
  }

  /** Answers what gauges ask, without a database. */
  private DelayStore store() {
    return (DelayStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DelayStore.class},
            (proxy, method, arguments) -> {
              if (away) {
                throw new StoreException("away", new IllegalStateException("no network"));
              }
              return switch (method.getName()) {
                case "now" -> STORE_NOW;
                case "heartbeats" -> heartbeats;
                case "count" -> 0L;
                case "overdueCounts" -> overdue;
                case "oldestSnapshot" -> snapshot;
                default -> throw new UnsupportedOperationException(method.getName());
              };
            });
  }
}
