// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.AcknowledgeMode;
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

  /** How a message of that queue is acknowledged; null if no container is known to consume it. */
  @Nullable AcknowledgeMode mode(String queue) {
    AcknowledgeMode mode = null;
    for (AbstractMessageListenerContainer container : of(queue)) {
      AcknowledgeMode one = container.getAcknowledgeMode();
      if (mode != null && mode != one) {
        throw new IllegalStateException(
            "two containers consume '%s', one with acknowledge mode %s, one with %s: give them the"
                    .formatted(queue, mode, one)
                + " same, it cannot be told which of them a message came to");
      }
      mode = one;
    }
    return mode;
  }

  /** Whether one of its containers still runs. */
  boolean active(String queue) {
    return of(queue).stream().anyMatch(AbstractMessageListenerContainer::isActive);
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
