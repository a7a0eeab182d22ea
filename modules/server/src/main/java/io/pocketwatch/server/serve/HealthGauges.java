// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * The results of {@code /health} as gauges to alert on. They are {@code
 * pocketwatch.health.problems} (0 when it answers 200), {@code pocketwatch.health.warnings} and
 * {@code pocketwatch.hold.queues.broken}.
 */
final class HealthGauges implements MeterBinder {
  private final Supplier<Health> health;

  /**
   * @param health answers at once, from the last look
   */
  HealthGauges(Supplier<Health> health) {
    this.health = health;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    gauge(registry, "health.problems", "Why it is down", now -> now.problems().size());
    gauge(registry, "health.warnings", "To be looked at", now -> now.warnings().size());
    gauge(
        registry,
        "hold.queues.broken",
        "Hold queues that take no messages or pass none on",
        now -> now.holds().broken().size());
  }

  private void gauge(
      MeterRegistry registry, String name, String description, ToIntFunction<Health> number) {
    Gauge.builder("pocketwatch." + name, () -> number.applyAsInt(health.get()))
        .description(description)
        .register(registry);
  }
}
