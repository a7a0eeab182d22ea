// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.publish.DefaultDelayedPublisher;
import io.pocketwatch.spi.PublisherSettings;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Publishes messages that are delivered later, through a plain RabbitMQ.
 *
 * <p>Thread-safe; meant to live as long as the application and be shared. Each publishing thread
 * keeps to one channel. After a lost connection it reconnects by itself, checks the topology again,
 * and goes on; messages published meanwhile end as {@link PublishOutcome#REJECTED}.
 */
public interface DelayedPublisher extends AutoCloseable {

  /** A builder that will connect with this factory; the factory is copied, not changed. */
  static Builder builder(ConnectionFactory connectionFactory) {
    return new Builder(connectionFactory);
  }

  /**
   * Hands a message to the broker, to be delivered when it is due.
   *
   * <p>The call returns as soon as the message is on its way. At {@code max-in-flight} unanswered
   * messages it waits for a free place, at most {@code confirm-timeout}. The first message to a
   * destination asks the broker whether it exists; later ones make no round trip. ({@link
   * DelayStrategy#TEMPORARY_QUEUE} declares a queue each time.)
   *
   * <p>The future always completes. Getting the message on its way takes at most {@code
   * confirm-timeout} for a free place and as much for its destination. The broker's answer is
   * waited for as long again. The future completes
   *
   * <ul>
   *   <li>normally, with one of the four outcomes, once the message was sound enough to try;
   *   <li>with {@link InvalidMessageException} if it can never be sent as it is;
   *   <li>with {@link UnknownTargetException} if its exchange or queue does not exist;
   *   <li>with {@link TopologyException} if the broker refuses to bind it;
   *   <li>with {@link IllegalStateException} if this publisher is closed.
   * </ul>
   *
   * In the last four cases nothing was sent. It completes on a thread of ours that serves all
   * futures: do not block there, except by publishing.
   */
  CompletableFuture<PublishReceipt> publish(DelayedMessage message);

  /**
   * Cancels a message held in a {@link DelayStrategy#TEMPORARY_QUEUE}; any process with the id and
   * instant may. From one second before {@code deliverAt} on the answer is {@link
   * ChangeOutcome#TOO_LATE}: after the due time deleting could destroy a message on its way.
   * Messages held otherwise are {@link ChangeOutcome#UNKNOWN}, and so are those cancelled before.
   */
  CompletableFuture<ChangeOutcome> cancel(String id, Instant deliverAt);

  /** Cancels the message of a receipt, as {@link #cancel(String, Instant)} does. */
  CompletableFuture<ChangeOutcome> cancel(PublishReceipt receipt);

  /** The routes and options this was built with. */
  DelayRoutes routes();

  /**
   * A part of this publisher, for frameworks: {@code io.pocketwatch.spi.Planning}, and its {@link
   * PocketwatchListener}.
   *
   * @throws IllegalArgumentException if there is no such part
   */
  <T> T unwrap(Class<T> part);

  /**
   * Connects now, where {@link Builder#connectOnDemand} has put it off; else does nothing. A broker
   * that cannot be reached is waited for in the background.
   *
   * @throws TopologyException as {@link Builder#build}, if this call is the first that needs one
   */
  void connect();

  /** How it is doing now; asks nobody. */
  PublisherStatus status();

  /**
   * Declares the wheel on the connection there is, where {@code topology} is {@code declare}.
   * Without this call it is declared on connecting if the configuration asks for it. Otherwise the
   * first message that rides it waits until it is declared.
   *
   * @return a future that completes when the wheel is there, or nothing is to be declared. It fails
   *     with {@link TopologyException} if the broker refuses the wheel, with another exception if
   *     the broker cannot be asked
   */
  CompletableFuture<Void> declareWheel();

  /**
   * Takes no more messages, waits for those in flight, and closes the connections. It waits for at
   * most twice the {@code confirm-timeout}. Messages that are unanswered then end as {@link
   * PublishOutcome#UNCERTAIN}. Held messages stay on the broker.
   */
  @Override
  void close();

  /** Collects what a publisher needs. One thread uses it. */
  final class Builder {
    private final ConnectionFactory connectionFactory;
    private DelayRoutes routes = DelayRoutes.none();
    private AddressResolver addresses = List::of;
    private InstantSource clock = InstantSource.system();
    private PocketwatchListener listener = PocketwatchListener.NONE;
    private boolean connectLater;
    private boolean connectOnDemand;

    private Builder(ConnectionFactory connectionFactory) {
      this.connectionFactory = connectionFactory.clone();
    }

    /** Routes and options; {@link DelayRoutes#none()} unless set. */
    public Builder routes(DelayRoutes routes) {
      this.routes = routes;
      return this;
    }

    /** Addresses to try in order, instead of the factory's host and port. */
    public Builder addresses(List<Address> addresses) {
      List<Address> fixed = List.copyOf(addresses);
      return addressResolver(() -> fixed);
    }

    /** Like {@link #addresses}, but the resolver is asked anew for each connection. */
    public Builder addressResolver(AddressResolver resolver) {
      this.addresses = resolver;
      return this;
    }

    /** Who hears of receipts and of the broker; nobody unless set. */
    public Builder listener(PocketwatchListener listener) {
      this.listener = listener;
      return this;
    }

    /** The clock by which instants are judged; the system clock unless set. */
    public Builder clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    /**
     * Builds without a broker too: it is then connected to in the background, as after a lost
     * connection. Until then messages that are not stored are {@link PublishOutcome#REJECTED}.
     */
    public Builder connectLater() {
      this.connectLater = true;
      return this;
    }

    /**
     * As {@link #connectLater}, and connects and declares nothing before somebody needs the broker:
     * a message that it is to hold or deliver, or {@link DelayedPublisher#connect}. That first
     * message waits for it, at most {@code confirm-timeout}.
     */
    public Builder connectOnDemand() {
      this.connectOnDemand = true;
      return this;
    }

    /**
     * Connects, and declares or checks the topology. One message of our own goes through the wheel,
     * from hold to delivery, before others ride it. It is sent here if the configuration asks for
     * the wheel.
     *
     * @throws IllegalStateException if a route is tracked, which needs {@link #build(Function)}
     * @throws BrokerUnreachableException if no connection can be opened, unless {@link
     *     #connectLater} was called
     * @throws TopologyException if exchanges or queues are missing or differ, or that message did
     *     not come back
     */
    public DelayedPublisher build() {
      return build(DefaultDelayedPublisher::untracked);
    }

    /**
     * Builds a publisher that can do more. Of the module pocketwatch-tracking it is {@code
     * TrackedPublisher.with(store)}. Otherwise as {@link #build()}.
     */
    public <P extends DelayedPublisher> P build(Function<PublisherSettings, P> kind) {
      return kind.apply(
          new PublisherSettings(
              connectionFactory,
              addresses,
              routes,
              clock,
              PocketwatchListener.all(List.of(listener)),
              connectLater,
              connectOnDemand));
    }
  }
}
