// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.ChannelUse;
import io.pocketwatch.guard.ConsumerEvent.OtherConsumer;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.spring.internal.ExistingBeans;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.support.ListenerContainerAware;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.SmartLifecycle;

/**
 * Puts the delivery guard in front of every listener: into the factories of listener containers,
 * and into containers that are beans themselves. Declare it as a {@code static} bean.
 *
 * <p>Listeners get cleaned messages, see {@link ReceivedDelays}, with the headers of {@link
 * DeliveryHeaders}, and only those whose work is still to be done. What they did is settled under
 * the queue's name, or the consumer name in the guard's options:
 *
 * <ul>
 *   <li>The container acknowledges (AUTO): the work is settled when listener and advices have
 *       returned, before the acknowledgement.
 *   <li>The listener acknowledges (MANUAL), or its future or {@code Mono} completes: the work is
 *       settled by {@code basicAck}. It is failed by a {@code basicNack} or {@code basicReject}
 *       without requeue, and released by one with it. A listener must not acknowledge inside of a
 *       transaction. That is refused when the context starts if it can be known by then, else when
 *       the listener does it.
 *   <li>Nobody acknowledges (NONE): a tracked message is refused and recorded as failed. The
 *       context does not start if a queue is known to get such messages.
 *   <li>The container's channel is transacted: it has no guard, and its messages are cleaned only.
 *       The context does not start if a queue is known to get tracked messages, or messages with
 *       {@code retries}. A tracked message that comes all the same is requeued, and the container
 *       stops.
 * </ul>
 *
 * A message deferred by {@link Defer} comes again at its time. After any other failure a message is
 * retried after the pauses of its route's {@code retries}; then, or without them, the container's
 * own behaviour applies. The message stays in progress throughout the container's own retries.
 * After the last retry the row is {@code FAILED}, whether the message is dead-lettered, recovered
 * or, by default, requeued. A {@code FAILED} message that comes again is handled again. Only an
 * explicit {@link org.springframework.amqp.ImmediateRequeueAmqpException} leaves the row as it was.
 *
 * <p>Each container gets its channels from a connection factory of ours in front of the user's. It
 * never gets messages that came at the wrong time, were cancelled or were settled before. Two
 * advices are added, before and behind the user's own, which are kept.
 */
public final class ListenerGuardPostProcessor
    implements BeanPostProcessor, BeanFactoryAware, SmartLifecycle, DisposableBean {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerGuardPostProcessor.class);

  private final Supplier<@Nullable DeliveryGuard> guards;
  private final Supplier<DelayedPublisher> publisher;
  private final Supplier<@Nullable DelayRoutes> routes;
  private final Supplier<GuardOptions> options;
  private final AttemptAdvice last = new AttemptAdvice();

  /** Containers that are beans; the others are in the registry of endpoints. */
  private final Set<AbstractMessageListenerContainer> containers =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

  private @Nullable BeanFactory beans;
  private @Nullable DeliveryGuard publishers;
  private volatile boolean running;

  /**
   * @param guards asked for each channel, so that the guard may be made late
   * @param publisher its guard is used if there is no other; asked for when that is needed
   * @param routes the configured routes, or null if unknown; asked for when the context starts
   * @param unguarded the options of the publisher's guard, asked when a container is made
   */
  public ListenerGuardPostProcessor(
      Supplier<@Nullable DeliveryGuard> guards,
      Supplier<DelayedPublisher> publisher,
      Supplier<@Nullable DelayRoutes> routes,
      Supplier<GuardOptions> unguarded) {
    this.guards = guards;
    this.publisher = publisher;
    this.routes = routes;
    this.options = unguarded;
  }

  @Override
  public void setBeanFactory(BeanFactory beans) throws BeansException {
    this.beans = beans;
  }

  /** Runs before a container builds a proxy from its advices. */
  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) throws BeansException {
    if (bean instanceof AbstractMessageListenerContainer container && !takesReplies(container)) {
      guard(container);
      containers.add(container);
    }
    return bean;
  }

  /** Guards the containers that a factory makes, after all its other settings. */
  @Override
  public Object postProcessAfterInitialization(Object bean, String name) throws BeansException {
    if (bean instanceof AbstractRabbitListenerContainerFactory<?> factory) {
      ContainerSettings.customize(factory, this::guard);
    }
    return bean;
  }

  private void guard(AbstractMessageListenerContainer container) {
    ConnectionFactory factory = ContainerSettings.connectionFactory(container);
    if (factory == null || takesReplies(container) || GuardedConnections.isGuarded(factory)) {
      return;
    }
    container.setConnectionFactory(
        GuardedConnections.of(factory, this::guard, () -> use(container)));
    container.setAdviceChain(with(container, ContainerSettings.adviceChain(container)));
  }

  private static ChannelUse use(AbstractMessageListenerContainer container) {
    boolean manual = ManualTransaction.isManual(container);
    return ChannelUse.plain()
        .withReportedStart()
        .withLeastAhead(ContainerSettings.answeredTogether(container))
        .withTransaction(
            then -> {
              if (manual) {
                ManualTransaction.refuse(container);
              }
              return SpringTransaction.tell(then);
            });
  }

  private DeliveryGuard guard() {
    DeliveryGuard guard = guards.get();
    return guard != null ? guard : guardOfPublisher();
  }

  private synchronized DeliveryGuard guardOfPublisher() {
    if (publishers == null) {
      publishers = DeliveryGuard.of(publisher.get(), options.get());
    }
    return publishers;
  }

  /** As {@link DeliveryGuard#stopped} of the publisher's guard; guards that are beans tell it. */
  public synchronized List<OtherConsumer> stopped() {
    return publishers == null ? List.of() : publishers.stopped();
  }

  /** A template's container of replies is not guarded: replies are not work. */
  private static boolean takesReplies(AbstractMessageListenerContainer container) {
    return container.getMessageListener() instanceof ListenerContainerAware;
  }

  private Advice[] with(AbstractMessageListenerContainer container, Advice[] chain) {
    List<Advice> all = new ArrayList<>();
    all.add(new GuardAdvice(container, options.get().namePrefix(), () -> guards.get() != null));
    for (Advice advice : chain) {
      all.add(RepeatableRetry.of(advice));
    }
    all.add(last);
    return all.toArray(new Advice[0]);
  }

  private List<AbstractMessageListenerContainer> registered() {
    return beans instanceof ListableBeanFactory listable
        ? ExistingBeans.containers(listable)
        : List.of();
  }

  /**
   * Checks containers before any of them starts.
   *
   * @throws IllegalStateException if tracked messages come to a container that never acknowledges,
   *     whose channel is transacted, or whose listener acknowledges inside of a transaction
   * @throws IllegalArgumentException if there is a guard, and nothing can be settled under the name
   *     of a container's queue
   */
  @Override
  public void start() {
    DeliveryGuard guard = guards.get(); // its errors are reported now, not for each message
    LOG.debug("Listeners are {}", guard != null ? "guarded" : "not guarded: there is no store");
    Set<AbstractMessageListenerContainer> all = new LinkedHashSet<>(List.copyOf(containers));
    all.addAll(registered());
    if (guard != null) {
      all.stream()
          .flatMap(container -> Stream.of(container.getQueueNames()))
          .filter(queue -> !queue.isEmpty()) // the broker names it when it is declared
          .forEach(guard::requireConsumer);
    }
    DelayRoutes configured = routes.get();
    if (configured != null && beans instanceof ListableBeanFactory listable) {
      new AcknowledgeCheck(configured, listable).check(all);
    }
    for (AbstractMessageListenerContainer container : all) {
      Advice[] chain = ContainerSettings.adviceChain(container);
      if (!takesReplies(container) && Stream.of(chain).noneMatch(GuardAdvice.class::isInstance)) {
        LOG.warn(
            "Container {} of {} has an advice chain that was set behind its factory. Its"
                + " messages are not cleaned, and failures that an advice swallows are settled",
            container.getListenerId(),
            container.getQueueNames());
      }
    }
    running = true;
  }

  @Override
  public void stop() {
    running = false;
  }

  /** After all containers have stopped. */
  @Override
  public synchronized void destroy() {
    if (publishers != null) {
      publishers.close();
      publishers = null;
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Before any container. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }
}
