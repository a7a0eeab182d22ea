// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import io.pocketwatch.CancelOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.plan.DelayPlanner;
import io.pocketwatch.plan.PublishPlan;
import io.pocketwatch.plan.Submission;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.route.DurationText;
import io.pocketwatch.route.PublisherOptions;
import io.pocketwatch.topology.BrokerFacts;
import io.pocketwatch.topology.Names;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The walk of a message: plan it, take a place in flight, make sure of its destination, send it,
 * end its future with the broker's answer.
 */
final class DefaultDelayedPublisher implements DelayedPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(DefaultDelayedPublisher.class);
  private static final int ADMIN_THREADS = 4;

  /** Time spent waiting is made up for by holding for less, from this on. */
  private static final Duration WORTH_PLANNING_AGAIN = Duration.ofMillis(1);

  private final DelayRoutes routes;
  private final PublisherOptions options;
  private final InstantSource clock;
  private final AdminChannels admin;
  private final ExecutorService adminThreads =
      Executors.newFixedThreadPool(ADMIN_THREADS, Threads.named("pocketwatch-admin"));
  private final Destinations destinations;
  private final TemporaryQueues temporaryQueues;
  private final InFlightLimit inFlight;
  private final PublishLink link;
  private volatile Broker broker;
  private volatile CompletableFuture<Void> configured = CompletableFuture.completedFuture(null);
  private volatile boolean closed;

  DefaultDelayedPublisher(Connections connections, DelayRoutes routes, InstantSource clock) {
    this.routes = routes;
    this.options = routes.publisher();
    this.clock = clock;
    Names names = new Names(routes.hold().namePrefix());
    this.broker = broker(new BrokerFacts("", false, 0, connections.userName()));
    this.admin = new AdminChannels(connections);
    TopologyKeeper keeper = new TopologyKeeper(admin, adminThreads);
    this.destinations =
        new Destinations(admin, keeper, names, routes.hold().topology(), adminThreads);
    this.inFlight = new InFlightLimit(options.maxInFlight());
    this.link =
        new PublishLink(
            connections,
            options,
            new BrokerPreparation(connections, routes, admin, keeper, this::ready));
    this.temporaryQueues =
        new TemporaryQueues(
            admin, names, routes.hold().temporaryQueues(), clock, link::upFor, adminThreads);
  }

  void start() {
    link.start();
    configured.join(); // bounded by the RPC timeout
    LOG.info(
        "Connected to RabbitMQ {}: {} delay routes, any delay up to {}",
        brokerVersion(),
        routes.routes().size(),
        DurationText.format(routes.hold().wheel().maxDelay()));
  }

  private void ready(BrokerFacts facts) {
    broker = broker(facts);
    destinations.forgetAll();
    configured = destinations.ensureConfigured(routes.routes());
  }

  @Override
  public CompletableFuture<PublishReceipt> publish(DelayedMessage message) {
    Objects.requireNonNull(message, "message");
    CompletableFuture<PublishReceipt> future = new CompletableFuture<>();
    if (closed) {
      future.completeExceptionally(new IllegalStateException("this publisher is closed"));
      return future;
    }
    try {
      Instant now = clock.instant();
      Submission submission = broker.planner.accept(message, now);
      Attempt attempt = new Attempt(submission, broker.planner.plan(submission, now), now, future);
      if (inFlight.enter(options.confirmTimeout())) {
        prepare(attempt);
      } else {
        future.complete(attempt.plan.receipt(PublishOutcome.REJECTED, noPlace()));
      }
    } catch (PocketwatchException e) {
      future.completeExceptionally(e);
    }
    return future;
  }

  private void prepare(Attempt attempt) {
    try {
      prepared(attempt).whenComplete((nothing, error) -> proceed(attempt, error));
    } catch (RejectedExecutionException e) {
      proceed(attempt, new IllegalStateException("this publisher is closed", e));
    }
  }

  /** Complete already where nothing has to be asked or declared. */
  private CompletableFuture<Void> prepared(Attempt attempt) {
    CompletableFuture<Void> destination = destinations.ensure(attempt.plan.destinations());
    return attempt.plan.temporaryQueue() == null
        ? destination
        : destination.thenRunAsync(() -> temporaryQueues.declare(attempt.plan), adminThreads);
  }

  private void proceed(Attempt attempt, @Nullable Throwable error) {
    if (error == null) {
      send(attempt);
      return;
    }
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (cause instanceof TemporaryQueues.LimitReached limit) {
      end(attempt, attempt.plan.receipt(PublishOutcome.REJECTED, BrokerError.text(limit)));
    } else {
      inFlight.leave(() -> attempt.future.completeExceptionally(cause));
    }
  }

  private void send(Attempt attempt) {
    PublishPlan plan = attempt.plan;
    if (plan.temporaryQueue() == null) {
      Instant now = clock.instant();
      if (Duration.between(attempt.planned, now).compareTo(WORTH_PLANNING_AGAIN) >= 0) {
        try {
          plan = broker.planner.plan(attempt.submission, now);
        } catch (RuntimeException e) { // on threads of ours nobody else would end the future
          proceed(attempt, e);
          return;
        }
      }
    }
    long deadline = System.nanoTime() + options.confirmTimeout().toNanos();
    byte[] body = attempt.submission.message().body();
    link.publish(new InFlight(plan, body, deadline, receipt -> sent(attempt, receipt)));
  }

  private void sent(Attempt attempt, PublishReceipt receipt) {
    if (attempt.plan.temporaryQueue() != null) {
      temporaryQueues.sent(attempt.plan, receipt.outcome());
    }
    end(attempt, receipt);
  }

  private void end(Attempt attempt, PublishReceipt receipt) {
    inFlight.leave(() -> attempt.future.complete(receipt));
  }

  private String noPlace() {
    return "%d messages in flight and none answered within %s, nothing was sent"
        .formatted(options.maxInFlight(), DurationText.format(options.confirmTimeout()));
  }

  @Override
  public CompletableFuture<CancelOutcome> cancel(String id, Instant deliverAt) {
    return CompletableFuture.supplyAsync(() -> temporaryQueues.cancel(id, deliverAt), adminThreads);
  }

  @Override
  public boolean offers(DelayStrategy strategy) {
    return strategy != DelayStrategy.DELAYED_EXCHANGE || broker.facts.delayedExchange();
  }

  @Override
  public boolean connected() {
    return link.connected();
  }

  @Override
  public String brokerVersion() {
    return broker.facts.version();
  }

  @Override
  public void close() {
    closed = true;
    inFlight.awaitEmpty(options.confirmTimeout());
    link.close();
    admin.close(); // what waits for an answer there fails now, and so ends its message
    adminThreads.shutdown();
    temporaryQueues.close();
    inFlight.awaitEmpty(Duration.ofSeconds(5));
    inFlight.close();
  }

  private Broker broker(BrokerFacts facts) {
    return new Broker(facts, new DelayPlanner(routes, facts));
  }

  /** What is known of the broker, replaced as a whole on each connection. */
  private record Broker(BrokerFacts facts, DelayPlanner planner) {}

  /** One publish call with a place in flight, which it gives back when its future has ended. */
  private record Attempt(
      Submission submission,
      PublishPlan plan,
      Instant planned,
      CompletableFuture<PublishReceipt> future) {}
}
