// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of each task of the store. Thread-safe; instants are on the store's clock. */
final class TaskBook {
  private final Map<String, Task> tasks = new LinkedHashMap<>();

  /** A task that is to be handled at this instant. */
  synchronized void scheduled(String id, Instant due) {
    tasks.put(id, new Task(due));
  }

  synchronized void cancelled(String id) {
    task(id).cancelled = true;
  }

  synchronized void moved(String id, Instant due) {
    Task task = task(id);
    task.due = due;
    task.moved = true;
  }

  /** Takes an arrival; one of an earlier demo is not ours to count. */
  synchronized void handled(String id, Instant deliverAt, Instant at) {
    Task task = tasks.get(id);
    if (task != null) {
      task.handlings++;
      if (task.handledAt == null) {
        task.handledAt = at;
        task.handledFor = deliverAt;
      }
    }
  }

  /** Tasks whose end is still to come. */
  synchronized int open() {
    return (int)
        tasks.values().stream().filter(task -> task.handlings == 0 && !task.cancelled).count();
  }

  /** When the last of them is due; a cancelled one counts, since its copy is sent then. */
  synchronized Instant lastDue() {
    return tasks.values().stream().map(task -> task.due).max(Instant::compareTo).orElseThrow();
  }

  synchronized StoreCounts counts() {
    int arrived = 0;
    int cancelled = 0;
    int moved = 0;
    int lost = 0;
    int early = 0;
    int duplicates = 0;
    int unexplained = 0;
    for (Task task : tasks.values()) {
      Instant at = task.handledAt;
      moved += task.moved ? 1 : 0;
      duplicates += Math.max(0, task.handlings - 1);
      if (at == null) {
        cancelled += task.cancelled ? 1 : 0;
        lost += task.cancelled ? 0 : 1;
      } else if (task.cancelled || !task.due.equals(task.handledFor)) {
        unexplained++;
      } else {
        arrived++;
        early += at.isBefore(task.due) ? 1 : 0;
      }
    }
    return new StoreCounts(
        tasks.size(), arrived, cancelled, moved, lost, early, duplicates, unexplained);
  }

  private Task task(String id) {
    Task task = tasks.get(id);
    if (task == null) {
      throw new IllegalArgumentException("no task has the id " + id);
    }
    return task;
  }

  private static final class Task {
    private Instant due;
    private boolean cancelled;
    private boolean moved;
    private int handlings;
    private @Nullable Instant handledAt;
    private @Nullable Instant handledFor;

    Task(Instant due) {
      this.due = due;
    }
  }
}
