// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.lab.faults.account.Window;
import io.pocketwatch.lab.faults.catalogue.Fault;
import io.pocketwatch.lab.faults.catalogue.World;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Carries out the faults of a round. Different ones may overlap. */
final class Strikes implements AutoCloseable {
  /** Makes one, once it is known when its round begins. */
  record Maker(World world, Screen screen) {
    Strikes make(Instant begin) {
      return new Strikes(world, screen, begin);
    }
  }

  private final Map<String, ScheduledExecutorService> threads = new HashMap<>();
  private final Map<String, Integer> done = new TreeMap<>();
  private final List<Window> windows = new ArrayList<>();
  private final List<String> failed = new ArrayList<>();
  private final World world;
  private final Screen screen;
  private final Instant begin;
  private int underWay;

  private Strikes(World world, Screen screen, Instant begin) {
    this.world = world;
    this.screen = screen;
    this.begin = begin;
  }

  void plan(List<RoundPlan.Strike> strikes) {
    for (RoundPlan.Strike strike : strikes) {
      long wait = Duration.between(Instant.now(), begin.plus(strike.at())).toMillis();
      threads
          .computeIfAbsent(
              strike.fault().name(), name -> Executors.newSingleThreadScheduledExecutor())
          .schedule(() -> strike(strike.fault()), Math.max(0, wait), TimeUnit.MILLISECONDS);
    }
    threads.values().forEach(ScheduledExecutorService::shutdown);
  }

  private void strike(Fault fault) {
    Instant from = Instant.now();
    synchronized (this) {
      underWay++;
    }
    try {
      fault.strike().at(world);
      screen.detail(
          "at %s: %s; right again after %s"
              .formatted(
                  Numbers.seconds(Duration.between(begin, from)),
                  fault.words(),
                  Numbers.seconds(Duration.between(from, Instant.now()))));
    } catch (IOException | TimeoutException | RuntimeException e) {
      synchronized (this) {
        failed.add(fault.name() + " could not be carried out: " + ErrorWords.of(e));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synchronized (this) {
        done.merge(fault.name(), 1, Integer::sum);
        windows.add(new Window(fault.name(), from, Instant.now()));
        underWay--;
      }
    }
  }

  boolean over() {
    return threads.values().stream().allMatch(ScheduledExecutorService::isTerminated);
  }

  /** Whether one lasts now. */
  synchronized boolean underWay() {
    return underWay > 0;
  }

  /** Whether none lasts now, nor has ended within this time. */
  synchronized boolean calm(Duration since) {
    Instant after = Instant.now().minus(since);
    return underWay == 0 && windows.stream().allMatch(window -> window.until().isBefore(after));
  }

  /** How long each lasted that is over. */
  synchronized List<Window> windows() {
    return List.copyOf(windows);
  }

  synchronized Map<String, Integer> done() {
    return new TreeMap<>(done);
  }

  /** Those that went wrong themselves, which proves nothing about anybody. */
  synchronized List<String> failed() {
    return List.copyOf(failed);
  }

  @Override
  public void close() {
    threads.values().forEach(ScheduledExecutorService::shutdownNow);
  }
}
