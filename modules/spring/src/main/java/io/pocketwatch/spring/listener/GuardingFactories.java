// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.spring.internal.RegisteredContainers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.support.ListenerContainerAware;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.SmartLifecycle;

/**
 * Puts the delivery guard before every listener: into the factories of listener containers, and
 * into containers that are beans themselves. Declare it as a {@code static} bean.
 *
 * <p>Listeners get cleaned messages, see {@link ReceivedDelays}, with the headers of {@link
 * DeliveryHeaders}, and only those whose work is to be done. What they did is settled under the
 * queue's name, or the name in the guard's options:
 *
 * <ul>
 *   <li>The container acknowledges (AUTO): settled when listener and advices have returned, before
 *       the acknowledgement; inside a transaction of the container, when that has committed.
 *   <li>The listener acknowledges (MANUAL), or its future or {@code Mono} completes: settled by
 *       {@code basicAck}, failed by a {@code basicNack} or {@code basicReject} without requeue,
 *       released by one with it. In a transaction: after its end, when the listener has returned.
 *   <li>Nobody acknowledges (NONE): a tracked message is refused and recorded as failed, and the
 *       context does not start where it is known beforehand that a queue gets such messages.
 * </ul>
 *
 * A listener that throws keeps the container's behaviour. The message counts as handled throughout
 * the container's own retries; then the row is {@code FAILED}, whether the message is
 * dead-lettered, recovered or, by default, requeued: a {@code FAILED} message that comes again is
 * handled again. Only an explicit {@link org.springframework.amqp.ImmediateRequeueAmqpException}
 * leaves the row as it was.
 *
 * <p>A container with a {@code transactionManager} holds a connection while the guard asks for
 * another one. If both are of one pool, that needs more than twice as many connections as such
 * containers have consumers at most; with fewer, all of them can wait for each other. A transaction
 * that begins in the listener, or in an advice, is not there yet or is over when the guard asks.
 *
 * <p>What came at the wrong time is held again as the broker sent it, and goes through a
 * container's {@code afterReceivePostProcessors} once more: one of ours is put before those that a
 * factory, or a container that is a bean, is made with, and a container has when the context
 * starts. Where these came later, or hand on none of the headers, such a message is waited for; and
 * returned to its queue, which may drop it in the end, when it has waited as long as it may. So is
 * a fragment of a batch that a container takes apart.
 *
 * <p>Two advices are added, before and behind the user's own, which are kept, and all of whose
 * attempts then reach what is behind them. Containers that a factory makes for the user's own hands
 * are guarded once they are beans.
 */
public final class GuardingFactories
    implements BeanPostProcessor, BeanFactoryAware, SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(GuardingFactories.class);

  private final Supplier<@Nullable DeliveryGuard> guards;
  private final Supplier<@Nullable DelayRoutes> routes;
  private final Containers containers = new Containers(this::registered);
  private final GuardAdvice first;
  private final AttemptAdvice last = new AttemptAdvice();
  private @Nullable BeanFactory beans;
  private volatile boolean running;

  /**
   * @param guards asked for each message, so that the guard may be made late; without a guard
   *     messages are cleaned, and those that come early are waited for
   * @param routes those configured, or null if unknown; asked when the context starts
   * @param namePrefix what the names of our queues begin with, {@code pocketwatch} by default
   */
  public GuardingFactories(
      Supplier<@Nullable DeliveryGuard> guards,
      Supplier<@Nullable DelayRoutes> routes,
      String namePrefix) {
    this(guards, routes, GuardOptions.defaults().withNamePrefix(namePrefix));
  }

  /**
   * As the other, with options.
   *
   * @param unguarded where there is no guard: how early a message may be handled, how long one is
   *     waited for before it goes back to its queue, and the prefix of our queues' names
   */
  public GuardingFactories(
      Supplier<@Nullable DeliveryGuard> guards,
      Supplier<@Nullable DelayRoutes> routes,
      GuardOptions unguarded) {
    this.guards = guards;
    this.routes = routes;
    this.first = new GuardAdvice(new Desk(guards, unguarded, containers));
  }

  @Override
  public void setBeanFactory(BeanFactory beans) throws BeansException {
    this.beans = beans;
  }

  /** Before a container makes the proxy that its advices become. */
  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) throws BeansException {
    if (bean instanceof AbstractMessageListenerContainer container && !takesReplies(container)) {
      container.setAdviceChain(with(Protected.adviceChain(container)));
      AsReceived.keepIn(container);
      containers.add(container);
    }
    return bean;
  }

  /** After the factory has its own chain. */
  @Override
  public Object postProcessAfterInitialization(Object bean, String name) throws BeansException {
    if (bean instanceof AbstractRabbitListenerContainerFactory<?> factory) {
      Advice[] chain = factory.getAdviceChain();
      factory.setAdviceChain(with(chain == null ? new Advice[0] : chain));
      AsReceived.keepIn(factory);
    }
    return bean;
  }

  /** A template waits for its replies itself; they are not work. */
  private static boolean takesReplies(AbstractMessageListenerContainer container) {
    return container.getMessageListener() instanceof ListenerContainerAware;
  }

  private Advice[] with(Advice[] chain) {
    List<Advice> all = new ArrayList<>();
    all.add(first);
    for (Advice advice : chain) {
      if (advice != first && advice != last) {
        all.add(
            advice instanceof MethodInterceptor interceptor && !(advice instanceof EachAttempt)
                ? new EachAttempt(interceptor)
                : advice);
      }
    }
    all.add(last);
    return all.toArray(new Advice[0]);
  }

  private List<AbstractMessageListenerContainer> registered() {
    return beans instanceof ListableBeanFactory listable
        ? RegisteredContainers.of(listable)
        : List.of();
  }

  /**
   * Checks containers before any of them starts.
   *
   * @throws IllegalStateException if tracked messages come to one that never acknowledges; or if
   *     there is a guard, and two of one connection factory that consume the same queue acknowledge
   *     in different ways
   * @throws IllegalArgumentException if there is a guard, and one consumes a queue of a name that
   *     nothing can be settled under
   */
  @Override
  public void start() {
    DeliveryGuard guard = guards.get(); // what is wrong with it is said now, not to each message
    LOG.debug("Listeners are {}", guard != null ? "guarded" : "not guarded: there is no store");
    if (guard != null) {
      containers.requireConsumers(guard);
      containers.watchConnections(guard);
    }
    DelayRoutes configured = routes.get();
    if (configured != null && beans instanceof ListableBeanFactory listable) {
      new AcknowledgeCheck(configured, listable).check(containers, guard != null);
    }
    for (AbstractMessageListenerContainer container : registered()) {
      if (List.of(Protected.adviceChain(container)).contains(first)) {
        AsReceived.keepIn(container); // its post-processors may be a customizer's
      } else {
        LOG.warn(
            "Container {} of {} has an advice chain of its own making and is not guarded: leave the"
                + " chain to its factory",
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
