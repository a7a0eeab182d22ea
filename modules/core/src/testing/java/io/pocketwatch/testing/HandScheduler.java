// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testing;

import io.pocketwatch.internal.base.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Time that moves only when told, and threads that are lists of tasks. All of it runs on the test's
 * own thread: a task begins when the test says so, and runs to its end. What waits (for a future,
 * for a permit) lets the others run and the time pass meanwhile.
 */
public final class HandScheduler implements Scheduler {
  private static final Instant BEGIN = Instant.parse("2026-03-01T10:15:30Z");

  private final @Nullable Random order;
  private final NavigableSet<Task> tasks =
      new TreeSet<>(
          Comparator.comparingLong((Task task) -> task.due).thenComparing(task -> task.number));
  private final List<Threads> executors = new ArrayList<>();
  private final Map<Semaphore, Integer> permits = new IdentityHashMap<>();
  private final Set<String> busy = new HashSet<>();
  private final Set<String> unstartable = new HashSet<>();
  private long now = 1;
  private long made;

  /** What can run runs in the order in which it came. */
  public HandScheduler() {
    this(null);
  }

  /** What can run runs in an order drawn by lot, but for what is given to one thread. */
  public HandScheduler(@Nullable Random order) {
    this.order = order;
  }

  /** The same time as an instant. */
  public InstantSource clock() {
    return () -> BEGIN.plusNanos(now);
  }

  /** Runs one task that is due; false if there is none. */
  public boolean runOne() {
    List<Task> ready = ready();
    if (ready.isEmpty()) {
      return false;
    }
    ready.get(order == null ? 0 : order.nextInt(ready.size())).run();
    return true;
  }

  /** Runs all that is due, and what comes of it. */
  public void runAll() {
    while (runOne()) {}
  }

  /** How many tasks wait for their time. */
  public int planned() {
    return tasks.size();
  }

  /** Lets time pass, and runs what falls due when it does. */
  public void advance(Duration by) {
    waitFor(() -> false, by);
  }

  /** Does it then, on a thread of its own. */
  public void later(Duration pause, Runnable action) {
    new Threads("world", Integer.MAX_VALUE).plan(action, pause.toNanos());
  }

  /** Keeps the threads of that name from beginning a task. */
  public void busy(String name) {
    busy.add(name);
  }

  public void idle(String name) {
    busy.remove(name);
  }

  /** Whether whoever needs the threads of that name is told that there can be no more. */
  public void cannotStart(String name, boolean cannot) {
    if (cannot) {
      unstartable.add(name);
    } else {
      unstartable.remove(name);
    }
  }

  /** Permits that were taken and not given back, of all semaphores that were ever waited for. */
  public int permitsTaken() {
    return permits.entrySet().stream()
        .mapToInt(each -> each.getValue() - each.getKey().availablePermits())
        .sum();
  }

  /** The names of the threads that nobody has shut down. */
  public List<String> threadsLeft() {
    return executors.stream().filter(each -> !each.shutdown).map(each -> each.name).toList();
  }

  /** The first of each executor that has a thread free. */
  private List<Task> ready() {
    List<Task> ready = new ArrayList<>();
    List<Threads> seen = new ArrayList<>();
    for (Task task : tasks) {
      if (task.due > now) {
        break;
      }
      if (task.on.busy < task.on.count && !busy.contains(task.on.name) && !seen.contains(task.on)) {
        ready.add(task);
        seen.add(task.on);
      }
    }
    return ready;
  }

  /** Whether it came true within that time. */
  private boolean waitFor(BooleanSupplier condition, Duration patience) {
    long end = now + patience.toNanos();
    while (!condition.getAsBoolean()) {
      if (runOne()) {
        continue;
      }
      if (now >= end) {
        return false;
      }
      now = Math.min(nextDue(end), end);
    }
    return true;
  }

  private long nextDue(long otherwise) {
    for (Task task : tasks) {
      if (task.due > now) {
        return task.due;
      }
    }
    return otherwise;
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public ExecutorService threads(String name, int count) {
    return timer(name, count);
  }

  @Override
  public ScheduledExecutorService timer(String name, int count) {
    Threads threads = new Threads(name, count);
    executors.add(threads);
    return threads;
  }

  @Override
  public void start(String name, Runnable task) {
    new Threads(name, 1).execute(task);
  }

  @Override
  public <T> T await(Future<T> future, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!waitFor(future::isDone, patience)) {
      throw new TimeoutException();
    }
    return future.get();
  }

  @Override
  public boolean acquire(Semaphore semaphore, int count, Duration patience) {
    permits.putIfAbsent(semaphore, semaphore.availablePermits());
    return waitFor(() -> semaphore.tryAcquire(count), patience);
  }

  @Override
  public <T> CompletableFuture<T> within(Duration patience, CompletableFuture<T> future) {
    CompletableFuture<T> copy = future.copy();
    new Threads("timeout", 1)
        .plan(() -> copy.completeExceptionally(new TimeoutException()), patience.toNanos());
    return copy;
  }

  @Override
  public Executor after(Duration pause, Executor executor) {
    return task -> new Threads("pause", 1).plan(() -> executor.execute(task), pause.toNanos());
  }

  @Override
  public long random(long bound) {
    return bound / 2;
  }

  /** Something to run when it is due. */
  private final class Task extends FutureTask<@Nullable Void>
      implements ScheduledFuture<@Nullable Void> {
    private final Threads on;
    private final Runnable action;
    private final long every;
    private final long number = made++;
    private long due;

    Task(Threads on, Runnable action, long pause, long every) {
      super(action, null);
      this.on = on;
      this.action = action;
      this.due = now + Math.max(0, pause);
      this.every = every;
      tasks.add(this);
    }

    @Override
    public void run() {
      tasks.remove(this);
      on.busy++;
      try {
        action.run();
      } finally {
        on.busy--;
      }
      if (every > 0 && !on.shutdown) {
        due = now + every;
        tasks.add(this);
      }
    }

    @Override
    public boolean cancel(boolean interrupt) {
      return tasks.remove(this);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - now, TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }

  /** So many threads of one name. */
  private final class Threads extends AbstractExecutorService implements ScheduledExecutorService {
    private final String name;
    private final int count;
    private int busy;
    private boolean shutdown;

    Threads(String name, int count) {
      this.name = name;
      this.count = count;
    }

    Task plan(Runnable action, long pause) {
      return plan(action, pause, 0);
    }

    private Task plan(Runnable action, long pause, long every) {
      if (shutdown) {
        throw new RejectedExecutionException(name + " was shut down");
      }
      if (unstartable.contains(name)) {
        throw new OutOfMemoryError("unable to create native thread: " + name);
      }
      return new Task(this, action, pause, every);
    }

    @Override
    public void execute(Runnable task) {
      plan(task, 0);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long pause, TimeUnit unit) {
      return plan(task, unit.toNanos(pause));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        Runnable task, long first, long every, TimeUnit unit) {
      return plan(task, unit.toNanos(first), unit.toNanos(every));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
        Runnable task, long first, long every, TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long pause, TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    /** At once, one after another. */
    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> all) {
      List<Future<T>> done = new ArrayList<>();
      for (Callable<T> each : all) {
        FutureTask<T> task = new FutureTask<>(each);
        task.run();
        done.add(task);
      }
      return done;
    }

    @Override
    public void shutdown() {
      shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
      shutdown = true;
      tasks.removeIf(task -> task.on == this);
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return shutdown;
    }

    @Override
    public boolean isTerminated() {
      return shutdown && tasks.stream().noneMatch(task -> task.on == this);
    }

    @Override
    public boolean awaitTermination(long patience, TimeUnit unit) {
      return waitFor(this::isTerminated, Duration.ofNanos(unit.toNanos(patience)));
    }
  }
}
