// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScheduleGaugesTest {
  private final MemoryScheduleStore store = new MemoryScheduleStore();
  private final Schedules schedules = store.facade();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final ScheduleGauges gauges = new ScheduleGauges(schedules);

  @Test
  void the_meters_follow_the_schedules() {
    gauges.bindTo(registry);
    assertThat(registry.getMeters()).isEmpty();
    put("a");
    put("b");

    gauges.refresh();
    assertThat(registry.getMeters()).hasSize(10);
    assertThat(registry.get("pocketwatch.schedule.lag").tag("schedule", "a").gauge().value())
        .isZero();

    schedules.remove("a", null);
    gauges.refresh();
    assertThat(registry.getMeters())
        .hasSize(5)
        .allSatisfy(each -> assertThat(each.getId().getTag("schedule")).isEqualTo("b"));

    gauges.unbind();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void they_show_what_the_store_has() {
    put("a");
    gauges.refresh();
    gauges.bindTo(registry);
    store.now = store.now.plusSeconds(95);
    gauges.refresh();

    assertThat(value("lag")).isEqualTo(35);
    assertThat(value("late")).isZero();
    assertThat(gauges.late()).isEmpty();

    store.now = store.now.plusSeconds(90);
    gauges.refresh();
    assertThat(value("late")).isEqualTo(1);
    assertThat(gauges.late()).containsExactly("a");

    SchedulesRunner.of(schedules).pass();
    gauges.refresh();
    assertThat(count("fired")).isEqualTo(2);
    assertThat(count("missed")).isEqualTo(1);
    assertThat(count("skipped")).isZero();
    assertThat(value("late")).isZero();
  }

  private void put(String name) {
    schedules.put(Schedule.named(name).route("reports").every(Duration.ofMinutes(1)).build(), null);
  }

  private double value(String what) {
    return registry.get("pocketwatch.schedule." + what).gauge().value();
  }

  private double count(String what) {
    return registry.get("pocketwatch.schedule." + what).functionCounter().count();
  }
}
