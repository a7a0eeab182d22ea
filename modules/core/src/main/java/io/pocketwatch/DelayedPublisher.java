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
 * keeps to one channel. After a lost connection the publisher reconnects by itself and checks the
 * topology again. Messages published meanwhile end as {@link PublishOutcome#REJECTED}.
 */
public interface DelayedPublisher extends AutoCloseable {

  /** A builder for a publisher that connects with a copy of this factory. */
  static Builder builder(ConnectionFactory connectionFactory) {
    return new Builder(connectionFactory);
  }

  /**
   * Hands a message to the broker, to be delivered when it is due.
   *
   * <p>The call returns as soon as the message is on its way. With {@code max-in-flight} messages
   * unanswered it waits for a free place, at most {@code confirm-timeout}. The first message to a
   * destination asks the broker whether it exists; later ones make no round trip. ({@link
   * DelayStrategy#TEMPORARY_QUEUE} declares a queue each time.)
   *
   * <p>The future always completes. It takes at most {@code confirm-timeout} each for a free place,
   * for the destination, and for the broker's answer. The future completes
   *
   * <ul>
   *   <li>normally, with one of the four outcomes, if the message is valid and was tried;
   *   <li>with {@link InvalidMessageException} if it can never be sent as it is;
   *   <li>with {@link UnknownTargetException} if its exchange or queue does not exist;
   *   <li>with {@link TopologyException} if the broker refuses to bind its exchange or queue;
   *   <li>with {@link IllegalStateException} if this publisher is closed.
   * </ul>
   *
   * In the last four cases nothing was sent. All futures complete on one thread of the publisher:
   * do not block it, except by publishing.
   */
  CompletableFuture<PublishReceipt> publish(DelayedMessage message);

  /**
   * Cancels a message held in a {@link DelayStrategy#TEMPORARY_QUEUE}, from any process that knows
   * its id and instant. From one second before {@code deliverAt} on the answer is {@link
   * ChangeOutcome#TOO_LATE}: deleting the queue then could destroy a message on its way. For
   * messages held otherwise, or cancelled before, it is {@link ChangeOutcome#UNKNOWN}.
   */
  CompletableFuture<ChangeOutcome> cancel(String id, Instant deliverAt);

  /** Cancels the message of a receipt, as {@link #cancel(String, Instant)} does. */
  CompletableFuture<ChangeOutcome> cancel(PublishReceipt receipt);

  /** The routes and options of this publisher. */
  DelayRoutes routes();

  /**
   * A part of this publisher, for frameworks: {@code io.pocketwatch.spi.Planning}, {@code
   * Planning.Targets}, or its {@link PocketwatchListener}.
   *
   * @throws IllegalArgumentException if there is no such part
   */
  <T> T unwrap(Class<T> part);

  /**
   * Connects now if {@link Builder#connectOnDemand} has put that off; otherwise does nothing. If
   * the broker cannot be reached, the publisher goes on trying in the background.
   *
   * @throws TopologyException as {@link Builder#build}, if this call opens the first connection
   */
  void connect();

  /** The state of this publisher now, as it knows it; asks neither broker nor store. */
  PublisherStatus status();

  /**
   * Declares the wheel on the open connection, where {@code topology} is {@code declare}. Without
   * this call the wheel is declared on connecting, if the configuration asks for it. Otherwise the
   * first message that rides it waits for the declaration.
   *
   * @return a future that completes when the wheel exists, or nothing is to be declared. It fails
   *     with {@link TopologyException} if the broker refuses the wheel, with another exception if
   *     the broker cannot be asked
   */
  CompletableFuture<Void> declareWheel();

  /**
   * Refuses new messages, waits for those in flight for at most twice the {@code confirm-timeout},
   * and closes the connections. Messages still unanswered end as {@link PublishOutcome#UNCERTAIN}.
   * Held messages stay on the broker.
   */
  @Override
  void close();

  /** Collects the settings of a publisher. Not thread-safe. */
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

    /** The resolver of addresses, asked anew for each connection. */
    public Builder addressResolver(AddressResolver resolver) {
      this.addresses = resolver;
      return this;
    }

    /** The listener for receipts and for the state of the broker; none unless set. */
    public Builder listener(PocketwatchListener listener) {
      this.listener = listener;
      return this;
    }

    /** The clock that decides when a message is due; the system clock unless set. */
    public Builder clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    /**
     * Builds the publisher even if no broker can be reached, and connects in the background. Until
     * then messages that are not stored end as {@link PublishOutcome#REJECTED}.
     */
    public Builder connectLater() {
      this.connectLater = true;
      return this;
    }

    /**
     * As {@link #connectLater}, but connects and declares only on need: for the first message the
     * broker is to hold or deliver, or on {@link DelayedPublisher#connect}. That message waits for
     * the connection, at most {@code confirm-timeout}.
     */
    public Builder connectOnDemand() {
      this.connectOnDemand = true;
      return this;
    }

    /**
     * Connects, and declares or checks the topology. If the configuration asks for the wheel, a
     * probe message must pass through it, from hold to delivery. Otherwise the probe is sent before
     * the first message rides the wheel.
     *
     * @throws IllegalStateException if a route is tracked, which needs {@link #build(Function)}
     * @throws BrokerUnreachableException if no connection can be opened, unless {@link
     *     #connectLater} was called
     * @throws TopologyException if exchanges or queues are missing or differ, or the probe did not
     *     come back
     */
    public DelayedPublisher build() {
      return build(DefaultDelayedPublisher::untracked);
    }

    /**
     * Builds a publisher of another kind, such as {@code TrackedPublisher.with(store)} of the
     * module pocketwatch-tracking. Otherwise as {@link #build()}.
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
