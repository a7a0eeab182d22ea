// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.guard.DeliveryGuard;
import java.util.Collections;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionListener;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;

/**
 * The guarded containers, by queue. An advice is shared by the containers of its factory and is not
 * told which of them calls, but how its messages are acknowledged depends on it: the endpoint may
 * say otherwise than the factory, and one with an asynchronous result becomes MANUAL.
 */
final class Containers {
  private final Supplier<List<AbstractMessageListenerContainer>> registered;
  private final Set<AbstractMessageListenerContainer> beans =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private final Map<String, List<AbstractMessageListenerContainer>> byQueue =
      new ConcurrentHashMap<>();
  private final Origins origins = new Origins();
  private volatile int counted;

  /**
   * @param registered the containers of listener endpoints, those of now
   */
  Containers(Supplier<List<AbstractMessageListenerContainer>> registered) {
    this.registered = registered;
  }

  void add(AbstractMessageListenerContainer container) {
    beans.add(container);
  }

  Set<AbstractMessageListenerContainer> all() {
    Set<AbstractMessageListenerContainer> all = new LinkedHashSet<>(List.copyOf(beans));
    all.addAll(registered.get());
    return all;
  }

  /**
   * Before any of them starts.
   *
   * @throws IllegalArgumentException if messages of one cannot be settled under its queue's name
   */
  void requireConsumers(DeliveryGuard guard) {
    all().stream()
        .flatMap(container -> Stream.of(container.getQueueNames()))
        .filter(queue -> !queue.isEmpty()) // the broker names it when it is declared
        .forEach(guard::requireConsumer);
  }

  /** Has a message that breaks a connection of theirs taken out of its queue. */
  void watchConnections(DeliveryGuard guard) {
    Map<ConnectionFactory, List<AbstractMessageListenerContainer>> byFactory =
        all().stream()
            .collect(
                Collectors.groupingBy(
                    AbstractMessageListenerContainer::getConnectionFactory,
                    IdentityHashMap::new,
                    Collectors.toList()));
    byFactory.forEach(
        (factory, some) -> factory.addConnectionListener(new BrokenByMessage(guard, some)));
  }

  /** A container is told by no more than an exception that its consumer has ended. */
  private record BrokenByMessage(
      DeliveryGuard guard, List<AbstractMessageListenerContainer> containers)
      implements ConnectionListener {
    @Override
    public void onCreate(@Nullable Connection connection) {}

    @Override
    public void onShutDown(ShutdownSignalException signal) {
      containers.stream()
          .flatMap(container -> Stream.of(container.getQueueNames()))
          .distinct()
          .forEach(queue -> guard.connectionLost(queue, signal));
    }
  }

  /**
   * How a message of that queue may be acknowledged that came on this channel; none if no container
   * is known to consume it, several if it cannot be told which of them it came to.
   */
  Set<AcknowledgeMode> modes(String queue, Channel channel) {
    List<AbstractMessageListenerContainer> all = of(queue);
    Set<AcknowledgeMode> modes = modes(all);
    if (modes.size() < 2) {
      return modes;
    }
    all.forEach(one -> origins.watch(one.getConnectionFactory()));
    ConnectionFactory origin = origins.of(channel);
    return origin == null
        ? modes
        : modes(all.stream().filter(one -> one.getConnectionFactory() == origin).toList());
  }

  /**
   * Before any of them starts: of those that consume a queue of that name, those that acknowledge
   * differently must be of different connection factories. By these they are told apart, as on two
   * brokers.
   */
  boolean alike(String queue) {
    List<AbstractMessageListenerContainer> all = of(queue);
    if (modes(all).size() < 2) {
      return true;
    }
    Map<ConnectionFactory, AcknowledgeMode> byFactory = new IdentityHashMap<>();
    boolean alike = true;
    for (AbstractMessageListenerContainer container : all) {
      ConnectionFactory factory = container.getConnectionFactory();
      origins.watch(factory);
      AcknowledgeMode mode = container.getAcknowledgeMode();
      alike &= Objects.requireNonNullElse(byFactory.put(factory, mode), mode) == mode;
    }
    return alike;
  }

  static IllegalStateException differ(String queue, Set<AcknowledgeMode> modes) {
    return new IllegalStateException(
        "containers of one connection factory consume '%s' and acknowledge differently, %s: give"
                .formatted(queue, modes)
            + " them the same acknowledge mode, it cannot be told which of them a message came to");
  }

  private static Set<AcknowledgeMode> modes(List<AbstractMessageListenerContainer> all) {
    Set<AcknowledgeMode> modes = EnumSet.noneOf(AcknowledgeMode.class);
    all.forEach(one -> modes.add(one.getAcknowledgeMode()));
    return modes;
  }

  /** As {@link #modes(String, Channel)}, on any channel. */
  Set<AcknowledgeMode> modes(String queue) {
    return modes(of(queue));
  }

  /** Whether one of its containers still runs, as far as it is known. */
  boolean active(String queue) {
    List<AbstractMessageListenerContainer> all = of(queue);
    return all.isEmpty() || all.stream().anyMatch(AbstractMessageListenerContainer::isActive);
  }

  /** Whether they return all that their listener was given when it throws that; if it is known. */
  boolean requeue(String queue, Throwable thrown) {
    List<AbstractMessageListenerContainer> all = of(queue);
    return !all.isEmpty() && all.stream().allMatch(one -> Requeueing.certain(one, thrown));
  }

  /** Whether its messages are as the broker sent them, when their listener is called. */
  boolean asReceived(String queue) {
    return of(queue).stream().allMatch(one -> Protected.afterReceive(one).isEmpty());
  }

  /** How many of its messages the broker may have sent ahead. */
  int prefetch(String queue) {
    return of(queue).stream().mapToInt(Protected::prefetch).max().orElse(1);
  }

  private List<AbstractMessageListenerContainer> of(String queue) {
    int count = beans.size() + registered.get().size();
    if (count != counted) {
      byQueue.clear(); // containers came or went
      counted = count;
    }
    List<AbstractMessageListenerContainer> found = byQueue.get(queue);
    if (found == null) {
      found = all().stream().filter(one -> List.of(one.getQueueNames()).contains(queue)).toList();
      if (!found.isEmpty()) {
        byQueue.put(queue, found);
      }
    }
    return found;
  }
}
