// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.account.Ledger;
import io.pocketwatch.lab.faults.account.Messages;
import io.pocketwatch.lab.faults.account.RoundResult;
import io.pocketwatch.lab.faults.catalogue.Fault.Place;
import io.pocketwatch.lab.faults.level.Sample;
import io.pocketwatch.lab.faults.level.Thirds;
import io.pocketwatch.lab.faults.level.Trend;
import io.pocketwatch.lab.faults.process.Order;
import io.pocketwatch.lab.faults.report.FaultsReport;
import io.pocketwatch.lab.faults.report.RoundProgress;
import io.pocketwatch.lab.faults.report.SampleLines;
import io.pocketwatch.lab.faults.report.SoakReport;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Messages at a steady rate, a fault now and then, and a look at everything that could grow. The
 * messages are judged in legs, one after the other, so that this program does not grow either.
 */
public final class Soak implements AutoCloseable {
  /** A leg is ordered so long before its first message. */
  private static final Duration AHEAD = Duration.ofSeconds(2);

  private static final long LOOK_MILLIS = 500;

  /** Finished rows leave the table while it runs. */
  private static final Duration RETENTION = Duration.ofMinutes(2);

  /**
   * A broker keeps what it writes for quorum queues in memory until the file is full, of 512 MB by
   * default. Until then its memory would grow by every message.
   */
  private static final List<String> SMALL_LOG = List.of("raft.wal_max_size_bytes = 4194304");

  private final SoakPlan plan;
  private final Screen screen;
  private final Arena arena;
  private final Books books;
  private final List<Leg> open = new ArrayList<>();
  private final List<RoundResult> results = new ArrayList<>();
  private int legs;
  private int confirmed;
  private int handled;

  private Soak(SoakPlan plan, Screen screen, Arena arena) {
    this.plan = plan;
    this.screen = screen;
    this.arena = arena;
    this.books = new Books(arena, screen);
  }

  /** Starts broker, database and processes, and waits until they are ready. */
  public static Soak open(SoakPlan plan, RunFolder folder, Screen screen)
      throws IOException, TimeoutException, InterruptedException, SQLException {
    screen.heading("Pocketwatch soak, seed " + plan.seed());
    screen.detail(
        "%s a second for %s, %s"
            .formatted(
                Numbers.of(plan.rate(), "message"),
                Numbers.seconds(plan.sending()),
                Numbers.of(plan.strikes().size(), "fault")));
    screen.detail(plan.database().words());
    Ground ground =
        new Ground(
            Place.NODE,
            HoldQueueType.QUORUM,
            plan.database(),
            plan.brokerVersion(),
            SMALL_LOG,
            RETENTION,
            SoakPlan.LINGER);
    Soak soak = new Soak(plan, screen, Arena.open(folder.ofArena(1), ground));
    try {
      soak.arena.awaitReady();
      return soak;
    } catch (IOException | TimeoutException | InterruptedException | RuntimeException e) {
      folder.keep();
      soak.close();
      throw e;
    }
  }

  /** Runs it to the end, also when something is broken or grows. */
  public SoakReport run() throws IOException, TimeoutException, InterruptedException {
    Random random = new Random(plan.seed());
    Instant begin = Instant.now().plus(AHEAD);
    Iterator<Messages> next = legs(begin, random).iterator();
    @Nullable Messages coming = next.next();
    ArenaWorld world = new ArenaWorld(arena, random, plan.brief(), screen::detail);
    try (Strikes strikes = new Strikes.Maker(world, screen).make(begin);
        RoundProgress progress = new RoundProgress(screen, Math.toIntExact(plan.messages()))) {
      strikes.plan(plan.strikes());
      Sampler sampler = new Sampler(new Gauges(arena), begin, plan.sampleEvery());
      SampleLines lines = new SampleLines(screen);
      while (coming != null || !open.isEmpty() || !strikes.over()) {
        if (coming != null && !Instant.now().isBefore(coming.begin().minus(AHEAD))) {
          Order.more(arena.orders, coming);
          open.add(new Leg(coming, arena.ground.hold()));
          coming = next.hasNext() ? next.next() : null;
        }
        look(progress);
        judge(strikes, coming == null);
        sampler.step(strikes.calm(plan.calm())).ifPresent(lines::show);
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
      return report(strikes, sampler.samples(), Duration.between(begin, Instant.now()));
    }
  }

  private List<Messages> legs(Instant begin, Random random) {
    List<Messages> all = new ArrayList<>();
    String run = "s" + Long.toString(System.currentTimeMillis(), 36) + "-";
    Duration at = Duration.ZERO;
    while (at.compareTo(plan.sending()) < 0) {
      Duration left = plan.sending().minus(at);
      Duration leg = left.compareTo(plan.leg()) < 0 ? left : plan.leg();
      all.add(
          new Messages(
              run + (all.size() + 1) + "-",
              random.nextLong(),
              Math.toIntExact(leg.toMillis() * plan.rate() / 1_000),
              begin.plus(at),
              Messages.Span.oneOfMany(leg, plan.longestDelay())));
      at = at.plus(leg);
    }
    return all;
  }

  private void look(RoundProgress progress) throws IOException {
    List<Ledger> ledgers = open.stream().map(leg -> leg.ledger).toList();
    books.carryInto(ledgers);
    progress.show(
        confirmed + ledgers.stream().mapToInt(Ledger::confirmed).sum(),
        handled + ledgers.stream().mapToInt(Ledger::handled).sum());
  }

  private void judge(Strikes strikes, boolean last) throws IOException, TimeoutException {
    for (Leg leg : List.copyOf(open)) {
      if (!leg.over(strikes)) {
        continue;
      }
      open.remove(leg);
      legs++;
      confirmed += leg.ledger.confirmed();
      handled += leg.ledger.handled();
      boolean end = last && open.isEmpty();
      RoundResult result =
          leg.account(strikes)
              .result(
                  end ? Targets.takeDeadLettered(arena.node()) : 0,
                  0,
                  end ? arena.ownEnds() : 0,
                  end ? strikes.done() : Map.of());
      results.add(result);
      if (!result.sound()) {
        result.broken().forEach(words -> screen.failure("round " + legs + ": " + words));
        arena.noteBroker();
      }
    }
  }

  private SoakReport report(Strikes strikes, List<Sample> samples, Duration length) {
    strikes
        .failed()
        .forEach(words -> results.add(RoundResult.failed("none", arena.ground.hold(), words)));
    FaultsReport messages =
        new FaultsReport(
            plan.seed(),
            results,
            Set.of(),
            arena.node().version(),
            arena.store.store().describe(),
            plan.database().fault(),
            length.toSeconds());
    return new SoakReport(
        messages,
        plan.rate(),
        samples.size(),
        Trend.all(samples, Thirds.of(plan.sending(), plan.steadyAfter())),
        plan.startsAnew());
  }

  @Override
  public void close() {
    arena.close();
  }
}
