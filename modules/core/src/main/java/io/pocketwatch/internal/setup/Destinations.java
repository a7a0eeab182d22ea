// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.NothingSentException;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The destinations that are known to exist and are bound. The broker is asked before the first
 * message, in the background from time to time, and after a reconnect for all of them.
 */
public final class Destinations {
  /** The bound of the cache: names may be generated per message. */
  private static final int REMEMBERED = 10_000;

  /** How long a binding may be missing after its exchange was deleted and declared again. */
  private static final Duration ASKED_AGAIN_AFTER = Duration.ofSeconds(30);

  /**
   * Applications declare an exchange first and bind its queues after it. If we bound it at once, it
   * would silently drop messages due in between; without our binding they are parked.
   */
  private static final Duration BINDINGS_FOLLOW = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(Destinations.class);

  private final AdminChannels admin;
  private final TopologyKeeper keeper;
  private final Names names;
  private final TopologyMode mode;
  private final Executor executor;
  private final Scheduler scheduler;
  private final ConcurrentHashMap<Destination, Known> known = new ConcurrentHashMap<>();

  /** The destinations that were logged as unusable, with the names of their routes. */
  private final ConcurrentHashMap<Destination, String> unusable = new ConcurrentHashMap<>();

  private volatile CompletableFuture<Void> configured = CompletableFuture.completedFuture(null);

  public Destinations(
      AdminChannels admin,
      TopologyKeeper keeper,
      Names names,
      TopologyMode mode,
      Executor executor,
      Scheduler scheduler) {
    this.scheduler = scheduler;
    this.admin = admin;
    this.keeper = keeper;
    this.names = names;
    this.mode = mode;
    this.executor = executor;
  }

  /** Completes when all of the destinations are known. */
  public CompletableFuture<Void> ensure(List<Destination> destinations) {
    return destinations.size() == 1
        ? ensure(destinations.get(0))
        : CompletableFuture.allOf(
            destinations.stream().map(this::ensure).toArray(CompletableFuture[]::new));
  }

  /**
   * Makes sure of a destination. Completes at once for a known one, otherwise when the broker has
   * answered. For an exchange that was missing before it takes a second longer.
   *
   * @return fails with {@link UnknownTargetException}, {@link TopologyException} or, if the broker
   *     could not be asked, {@link NothingSentException}
   */
  public CompletableFuture<Void> ensure(Destination destination) {
    Known before = known.get(destination);
    if (before != null && before.refused && !old(before)) {
      return before.answer;
    }
    if (before != null && !before.answer.isCompletedExceptionally()) {
      if (old(before)) {
        askAgain(destination, before);
      }
      return before.answer;
    }
    if (before != null) {
      known.remove(destination, before);
    }
    if (known.size() >= REMEMBERED) {
      known.clear();
    }
    boolean wasMissing = before != null && before.missing();
    return known.computeIfAbsent(
            destination, asked -> known(wasMissing ? askedWhenBack(asked) : asked(asked)))
        .answer;
  }

  /** Asks for a destination that was missing the last time. */
  private CompletableFuture<Void> askedWhenBack(Destination destination) {
    if (mode != TopologyMode.DECLARE
        || destination.toQueue()
        || destination.way() == Destination.Way.STRAIGHT) {
      return asked(destination);
    }
    Executor later = scheduler.after(BINDINGS_FOLLOW, executor);
    return CompletableFuture.runAsync(() -> asking(destination, this::requireExists), executor)
        .thenRunAsync(() -> ask(destination), later);
  }

  /** Asks in the background: a target deleted and declared again has lost its binding. */
  private void askAgain(Destination destination, Known before) {
    Known meanwhile = known(before.answer);
    if (known.replace(destination, before, meanwhile)) { // only one of many publishing threads asks
      CompletableFuture<Void> answer = asked(destination);
      answer.whenComplete((nothing, error) -> known.replace(destination, meanwhile, known(answer)));
    }
  }

  private CompletableFuture<Void> asked(Destination destination) {
    return CompletableFuture.runAsync(() -> ask(destination), executor);
  }

  /** Binds the targets of routes before their first message; a missing one may come later. */
  CompletableFuture<Void> ensureConfigured(List<DelayRoute> routes) {
    Map<String, String> problems = new ConcurrentSkipListMap<>();
    return CompletableFuture.allOf(
            routes.stream()
                .map(route -> ensureLater(route, problems))
                .toArray(CompletableFuture[]::new))
        .thenRun(
            () ->
                problems.values().stream()
                    .findFirst()
                    .ifPresent(
                        first ->
                            LOG.info(
                                "Not usable yet: {} {}: {}",
                                problems.size() == 1 ? "route" : "routes",
                                String.join(", ", problems.keySet()),
                                problems.size() == 1 ? first : "of the first: " + first)));
  }

  private CompletableFuture<Void> ensureLater(DelayRoute route, Map<String, String> problems) {
    String key = route.routingKey() == null ? "" : route.routingKey();
    Destination destination = Destination.released(route, route.exchange(), key);
    return ensure(destination)
        .exceptionally(
            error -> {
              problems.put(route.name(), ErrorWords.of(error));
              unusable.put(destination, route.name());
              return null;
            });
  }

  /**
   * For a destination that refuses our messages: it is internal, or we may not write to it. The
   * broker only says so by closing the channel, and with it fails other messages. So for a while
   * nothing more is published there.
   */
  public void refused(Destination destination, String why) {
    String problem = destination.describe() + " refuses what is published to it: " + why;
    CompletableFuture<Void> answer = CompletableFuture.failedFuture(new TopologyException(problem));
    known.put(destination, new Known(answer, scheduler.nanoTime(), true));
  }

  /**
   * For a destination whose exchange is gone: asks before the next message. Where {@code topology}
   * allows no question, it is treated as one that refuses.
   */
  public void missing(Destination destination, String why) {
    if (mode == TopologyMode.ASSUME) {
      refused(destination, why);
    } else {
      forget(destination);
    }
  }

  /** Binds a destination that was just declared anew: its old binding is gone. */
  public CompletableFuture<Void> declared(Destination destination) {
    forget(destination);
    return ensure(destination);
  }

  /** Asks again before the next use. */
  public void forget(Destination destination) {
    known.remove(destination);
  }

  /** Asks again for all destinations, on a new connection; for those of routes at once. */
  public void connected(List<DelayRoute> routes) {
    known.clear();
    configured = ensureConfigured(routes);
  }

  /** Waits until the broker has answered for those of routes; the RPC timeout bounds that. */
  public void awaitConfigured() {
    configured.join();
  }

  private Known known(CompletableFuture<Void> answer) {
    return new Known(answer, scheduler.nanoTime(), false);
  }

  private boolean old(Known known) {
    return scheduler.nanoTime() - known.since > ASKED_AGAIN_AFTER.toNanos();
  }

  private void ask(Destination destination) {
    asking(
        destination,
        asked -> {
          if (mode != TopologyMode.ASSUME) {
            requireExists(asked);
          }
          if (mode == TopologyMode.DECLARE) {
            keeper.declare(Topology.of(names, asked));
          }
          String route = unusable.remove(asked);
          if (route != null) {
            LOG.info("Route {} is usable now", route);
          }
        });
  }

  private interface Question {
    void ask(Destination destination) throws IOException, TimeoutException;
  }

  private static void asking(Destination destination, Question question) {
    try {
      question.ask(destination);
    } catch (IOException | TimeoutException e) {
      String problem = "cannot prepare " + destination.describe() + ": " + ErrorWords.of(e);
      throw BrokerError.refused(e)
          ? new TopologyException(problem, e)
          : new NothingSentException(problem + "; nothing was sent", e);
    }
  }

  private void requireExists(Destination destination) throws IOException, TimeoutException {
    try {
      if (!destination.toQueue()) {
        admin.call(channel -> channel.exchangeDeclarePassive(destination.exchange()));
      } else {
        admin.call(channel -> channel.queueDeclarePassive(destination.queue()));
      }
    } catch (IOException e) {
      if (BrokerError.code(e) == BrokerError.NOT_FOUND) {
        throw new UnknownTargetException(destination.describe(), e);
      }
      if (mode == TopologyMode.VERIFY
          && destination.way() != Destination.Way.STRAIGHT
          && BrokerError.code(e) == BrokerError.ACCESS_REFUSED) {
        // From 4.3 on a user needs a permission on an object to ask whether it exists. Held
        // messages need none there; those published straight do.
        LOG.debug("This user may not check {}", destination.describe());
        return;
      }
      throw e;
    }
  }

  /**
   * The broker's answer, and when it was given or asked for.
   *
   * @param refused whether it was the answer to a message: to ask would not show that
   */
  private record Known(CompletableFuture<Void> answer, long since, boolean refused) {
    boolean missing() {
      if (!answer.isCompletedExceptionally()) {
        return false;
      }
      Throwable why = answer.handle((nothing, error) -> error).join();
      return why.getCause() instanceof UnknownTargetException;
    }
  }
}
