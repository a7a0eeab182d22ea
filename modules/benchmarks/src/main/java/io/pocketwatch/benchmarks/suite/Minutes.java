// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Server;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Looks at a trial minute by minute while it runs. */
final class Minutes implements AutoCloseable {
  private final Ledger ledger;
  private final List<Server> servers;
  private final List<Map<String, Object>> lines = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private Histogram before = new Histogram(3);

  Minutes(Ledger ledger, List<Server> servers, Duration step) {
    this.ledger = ledger;
    this.servers = servers;
    clock.scheduleAtFixedRate(this::look, step.toMillis(), step.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void look() {
    Histogram now = ledger.lateness();
    if (now.getTotalCount() <= before.getTotalCount()) {
      before = now; // nothing has arrived, or another trial has begun
      return;
    }
    Histogram minute = now.copy();
    minute.subtract(before);
    before = now;
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("minute", lines.size() + 1);
    line.put("arrived", minute.getTotalCount());
    line.put("p50", Medians.millis(minute, 50));
    line.put("p99", Medians.millis(minute, 99));
    line.put("max", Medians.millis(minute, 100));
    line.put(
        "brokerRssMb", servers.stream().mapToLong(Server::residentBytes).sum() / Medians.MEGABYTE);
    lines.add(line);
  }

  List<Map<String, Object>> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
