// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * Meters of schedules for Micrometer, with the tag {@code schedule}. Counters are {@code
 * pocketwatch.schedule.fired}, {@code .missed} and {@code .skipped}. The gauge {@code
 * pocketwatch.schedule.lag} has the seconds since the next occurrence should have fired. The gauge
 * {@code pocketwatch.schedule.late} is 1 after two intervals without one.
 *
 * <p>All are read from the store, so each process with these meters shows the same values: take
 * their maximum, not their sum. Each {@link #refresh} adds meters for new schedules and removes
 * those of deleted ones. They need {@code io.micrometer:micrometer-core}. Thread-safe.
 */
public final class ScheduleGauges implements MeterBinder {
  private static final String PREFIX = "pocketwatch.schedule.";

  private final Schedules schedules;
  private final List<MeterRegistry> registries = new ArrayList<>();
  private final Map<String, List<Meter>> meters = new TreeMap<>();

  /** What the meters show. That of a deleted schedule keeps its value until it is removed. */
  private final Map<String, Seen> seen = new ConcurrentHashMap<>();

  /** Has no meters before {@link #refresh}. */
  public ScheduleGauges(Schedules schedules) {
    this.schedules = schedules;
  }

  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    registries.add(registry);
    meters.forEach((name, known) -> known.addAll(register(name, registry)));
  }

  /**
   * Reads all schedules anew, without their bodies, in one query.
   *
   * @throws StoreException if the store does not answer; the meters then keep their values
   */
  public synchronized void refresh() {
    Instant now = schedules.now();
    Map<String, Seen> found = new TreeMap<>();
    for (StoredSchedule each : schedules.stored()) {
      found.put(each.name(), Seen.of(each, now));
    }
    seen.putAll(found);
    found.keySet().forEach(name -> meters.computeIfAbsent(name, this::register));
    meters
        .entrySet()
        .removeIf(
            each -> {
              boolean gone = !found.containsKey(each.getKey());
              if (gone) {
                remove(each.getValue());
              }
              return gone;
            });
    seen.keySet().retainAll(found.keySet());
  }

  /** The schedules that have not fired for two intervals, as of the last {@link #refresh}. */
  public List<String> late() {
    return seen.entrySet().stream()
        .filter(each -> each.getValue().late())
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /** Takes all its meters out of the registries. */
  public synchronized void unbind() {
    meters.values().forEach(this::remove);
    meters.clear();
    registries.clear();
  }

  private void remove(List<Meter> those) {
    those.forEach(meter -> registries.forEach(registry -> registry.remove(meter)));
  }

  private List<Meter> register(String name) {
    List<Meter> all = new ArrayList<>();
    registries.forEach(registry -> all.addAll(register(name, registry)));
    return all;
  }

  private List<Meter> register(String name, MeterRegistry registry) {
    return List.of(
        counter(registry, name, "fired", "Occurrences that fired", Seen::fired),
        counter(registry, name, "missed", "Occurrences too far back to fire", Seen::missed),
        counter(
            registry,
            name,
            "skipped",
            "Occurrences left out as the one before was not settled",
            Seen::skipped),
        gauge(registry, name, "lag", "Since the next occurrence should have fired", Seen::lag),
        gauge(
            registry,
            name,
            "late",
            "1 if it has not fired for two intervals",
            each -> each.late() ? 1 : 0));
  }

  private Meter counter(
      MeterRegistry registry,
      String name,
      String what,
      String description,
      ToDoubleFunction<Seen> number) {
    return FunctionCounter.builder(PREFIX + what, this, all -> all.number(name, number))
        .description(description)
        .tags(Tags.of("schedule", name))
        .register(registry);
  }

  private Meter gauge(
      MeterRegistry registry,
      String name,
      String what,
      String description,
      ToDoubleFunction<Seen> number) {
    return Gauge.builder(PREFIX + what, () -> number(name, number))
        .description(description)
        .baseUnit(what.equals("lag") ? "seconds" : null)
        .tags(Tags.of("schedule", name))
        .register(registry);
  }

  private double number(String name, ToDoubleFunction<Seen> number) {
    Seen known = seen.get(name);
    return known == null ? 0 : number.applyAsDouble(known);
  }

  /** Numbers alone. A rule is evaluated only if its schedule may be late. */
  private record Seen(long fired, long missed, long skipped, double lag, boolean late) {
    static Seen of(StoredSchedule stored, Instant now) {
      Duration lag = new ScheduleView(stored, null, null).lag(now);
      return new Seen(
          stored.fired(),
          stored.missed(),
          stored.skipped(),
          lag.toMillis() / 1_000.0,
          !lag.isZero() && Schedules.view(stored).late(now));
    }
  }
}
