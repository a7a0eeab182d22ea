// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import io.pocketwatch.TopologyException;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.SilentBrokerException;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.topology.BindingSpec;
import io.pocketwatch.internal.topology.ExchangeSpec;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Declares or checks exchanges, queues and bindings. Existing ones that differ are not changed. */
public final class TopologyKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(TopologyKeeper.class);
  private static final int NAMED_IN_MESSAGE = 10;

  /** The least number of requests worth sharing among threads; one destination needs one or two. */
  private static final int WORTH_SHARING = 16;

  private final AdminChannels admin;
  private final ExecutorService helpers;
  private final Names names;

  /**
   * @param helpers share the work of declaring hundreds of queues, each a commit on the broker;
   *     none of these threads may itself declare so many
   */
  public TopologyKeeper(AdminChannels admin, ExecutorService helpers, Names names) {
    this.admin = admin;
    this.helpers = helpers;
    this.names = names;
  }

  /**
   * Declares what is missing. It checks all exchanges and queues before it binds any, so that
   * leftovers of another configuration never get messages of this one. At a limit of the broker it
   * stops, and deletes what it has declared, which would take the application's places.
   *
   * @throws TopologyException naming all that the broker refused
   */
  public void declare(Topology topology) throws IOException, TimeoutException {
    Set<String> missing = missing(topology);
    Set<String> declared = ConcurrentHashMap.newKeySet();
    List<String> refused = refusals(topology.exchanges(), TopologyKeeper::declare, "exchange");
    if (refused.stream().noneMatch(BrokerError::limitReached)) {
      refused.addAll(
          refusals(
              topology.queues(),
              (channel, queue) -> {
                declare(channel, queue);
                return declared.add(queue.name());
              },
              "queue"));
    }
    Optional<String> limit = refused.stream().filter(BrokerError::limitReached).findFirst();
    if (limit.isPresent()) {
      declared.retainAll(missing);
      throw new TopologyException(
          "RabbitMQ takes no more of ours: "
              + limit.get()
              + ". This configuration needs "
              + topology.queues().size()
              + " queues here; the "
              + deleteAgain(declared)
              + " that it had made are deleted again. Raise the limit, or"
              + " need fewer: a wheel with fewer queues, fewer 'delays', or 'native: auto' from"
              + " RabbitMQ 4.4 on");
    }
    if (!refused.isEmpty()) {
      throw new TopologyException(
          "RabbitMQ refused "
              + summary(refused)
              + ". Nothing that existed was changed and nothing was bound. What another"
              + " configuration has left keeps its name-prefix; choose another one, and another"
              + " store");
    }
    if (!missing.isEmpty()) {
      flushNames();
    }
    refused = refusals(topology.bindings(), TopologyKeeper::bind, "binding");
    if (!refused.isEmpty()) {
      throw new TopologyException("RabbitMQ refused to bind " + summary(refused));
    }
    refused = refusals(topology.superseded(), TopologyKeeper::unbind, "binding");
    if (!refused.isEmpty()) {
      LOG.warn("RabbitMQ refused to unbind {}; both bindings stay", summary(refused));
    }
  }

  /**
   * Deletes what was declared in vain: queues that were missing before and hold no message.
   *
   * @return how many were deleted
   */
  private int deleteAgain(Set<String> declared) {
    Set<String> deleted = ConcurrentHashMap.newKeySet();
    try {
      refusals(
          List.copyOf(declared),
          (channel, queue) ->
              !holdsMessage(queue) && channel.queueDelete(queue) != null && deleted.add(queue),
          "queue");
    } catch (IOException | TimeoutException e) {
      LOG.warn("Queues that nothing uses are left on the broker: {}", ErrorWords.of(e));
    }
    return deleted.size();
  }

  private boolean holdsMessage(String queue) throws IOException {
    try {
      return admin.holdsMessage(queue);
    } catch (TimeoutException e) {
      throw new IOException(e);
    }
  }

  /**
   * The missing queues: all of them, if the first and the last one are missing. The broker logs
   * each check that fails, and then most likely has none.
   */
  private Set<String> missing(Topology topology) throws IOException, TimeoutException {
    Set<String> names = new LinkedHashSet<>();
    String last = "";
    for (QueueSpec queue : topology.queues()) {
      last = queue.name();
      names.add(last);
    }
    Set<String> there = new HashSet<>();
    for (String queue : names) {
      if (isThere(queue)) {
        there.add(queue);
      } else if (there.isEmpty()) {
        if (!isThere(last)) {
          break;
        }
        there.add(last);
      }
    }
    names.removeAll(there);
    return names;
  }

  private boolean isThere(String queue) throws IOException, TimeoutException {
    return refusal(channel -> channel.queueDeclarePassive(queue)).isEmpty();
  }

  /**
   * Makes new queues safe from a broker that is killed soon; see {@code QueueNameFlush}. Call it
   * only after new ones: each name stays in the broker's memory until a restart.
   */
  public void flushNames() throws IOException, TimeoutException {
    QueueSpec queue = QueueSpec.flushQueue(names.flushQueue(UUID.randomUUID().toString()));
    Optional<String> refused = refusal(channel -> declare(channel, queue));
    if (refused.isEmpty()) {
      refused = refusal(channel -> channel.queueDelete(queue.name()));
    }
    refused.ifPresent(
        words -> LOG.warn("A broker killed soon may forget a queue that is new: {}", words));
  }

  /**
   * Checks that every exchange and queue exists. AMQP cannot show bindings or arguments.
   *
   * @throws TopologyException naming what is missing
   */
  void verify(Topology topology) throws IOException, TimeoutException {
    List<String> missing =
        refusals(
            topology.exchanges(),
            (channel, exchange) -> channel.exchangeDeclarePassive(exchange.name()),
            "exchange");
    missing.addAll(
        refusals(
            topology.queues(),
            (channel, queue) -> channel.queueDeclarePassive(queue.name()),
            "queue"));
    if (!missing.isEmpty()) {
      throw new TopologyException(
          "topology: verify, but the broker answers "
              + summary(missing)
              + ". Have them declared: './pocketwatch repair --yes' does, and so does"
              + " DelayedPublisher.declareWheel() with topology: declare. By itself that declares"
              + " the wheel only when something needs it.");
    }
  }

  /**
   * Runs the step for each, up to one that exceeds a limit, and returns the broker's words for
   * those refused.
   *
   * @param what their kind, for the message
   */
  private <T> List<String> refusals(List<T> specs, Step<T> step, String what)
      throws IOException, TimeoutException {
    AtomicInteger answers = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean(); // one timeout, or one limit, ends all
    List<Callable<Optional<String>>> attempts = new ArrayList<>();
    for (T spec : specs) {
      attempts.add(
          () -> {
            if (over.get()) {
              return Optional.empty();
            }
            try {
              Optional<String> refused = refusal(channel -> step.on(channel, spec));
              answers.incrementAndGet();
              if (refused.filter(BrokerError::limitReached).isPresent()) {
                over.set(true);
              }
              return refused;
            } catch (ChannelContinuationTimeoutException e) {
              over.set(true);
              throw new SilentBrokerException(
                  "at %s %s of %s".formatted(what, answers.get() + 1, specs.size()), e);
            }
          });
    }
    List<String> refused = new ArrayList<>();
    try {
      if (attempts.size() < WORTH_SHARING) {
        for (Callable<Optional<String>> attempt : attempts) {
          attempt.call().ifPresent(refused::add);
        }
      } else {
        for (Future<Optional<String>> attempt : helpers.invokeAll(attempts)) {
          attempt.get().ifPresent(refused::add);
        }
      }
    } catch (ExecutionException e) {
      throw asIo(e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while declaring", e);
    } catch (Exception e) {
      throw asIo(e);
    }
    return refused;
  }

  /** The broker's words if it refused; throws if it could not be asked. */
  private Optional<String> refusal(AdminChannels.Action<?> action)
      throws IOException, TimeoutException {
    try {
      admin.call(action);
      return Optional.empty();
    } catch (IOException e) {
      if (BrokerError.unavailable(e)) {
        LOG.warn("{}; going on without it", ErrorWords.of(e));
        return Optional.empty();
      }
      if (!BrokerError.refused(e)) {
        throw e;
      }
      return Optional.of(ErrorWords.of(e));
    }
  }

  private static IOException asIo(Throwable error) {
    return error instanceof IOException io ? io : new IOException(ErrorWords.of(error), error);
  }

  public static Object declare(Channel channel, ExchangeSpec exchange) throws IOException {
    return channel.exchangeDeclare(
        exchange.name(), exchange.type(), true, false, exchange.arguments());
  }

  public static Object declare(Channel channel, QueueSpec queue) throws IOException {
    return channel.queueDeclare(queue.name(), true, false, false, queue.arguments());
  }

  public static Object bind(Channel channel, BindingSpec binding) throws IOException {
    return binding.toQueue()
        ? channel.queueBind(
            binding.target(), binding.source(), binding.routingKey(), binding.arguments())
        : channel.exchangeBind(
            binding.target(), binding.source(), binding.routingKey(), binding.arguments());
  }

  /** Deletes a binding; no error if there is none. */
  private static Object unbind(Channel channel, BindingSpec binding) throws IOException {
    return binding.toQueue()
        ? channel.queueUnbind(binding.target(), binding.source(), binding.routingKey())
        : channel.exchangeUnbind(binding.target(), binding.source(), binding.routingKey());
  }

  private static String summary(List<String> problems) {
    List<String> first = problems.subList(0, Math.min(NAMED_IN_MESSAGE, problems.size()));
    String more = problems.size() > first.size() ? " and more of the kind" : "";
    return problems.size() + " of ours: " + String.join("; ", first) + more;
  }

  private interface Step<T> {
    Object on(Channel channel, T spec) throws IOException;
  }
}
