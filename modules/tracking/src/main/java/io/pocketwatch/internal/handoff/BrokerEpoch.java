// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import com.rabbitmq.client.MessageProperties;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.setup.TopologyKeeper;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.store.DelayStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which life of the broker's disk this is. A durable quorum queue, named by a UUID that the store
 * remembers, holds one message that nobody consumes. If the queue or message is gone, the disk was
 * lost, and with it whatever was held there. Rows held in that epoch are then loaded again.
 *
 * <p>The UUID is in the queue's name rather than in the message alone, so that looking is a passive
 * declare. Taking the message out to read it would show an empty queue to whoever looks meanwhile.
 * The prefix is in the epoch, because two on one store would keep declaring each other's disk lost.
 */
public final class BrokerEpoch {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerEpoch.class);
  private static final int LOOKS = 5;
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

  /**
   * How long an epoch is taken for the agreed one. Its queue can be deleted under a connection that
   * stays; somebody else then begins the next epoch. Rows that are still marked with the old one
   * would be loaded again at each sweep.
   */
  private static final Duration AGREED_FOR = Duration.ofSeconds(30);

  private final AdminChannels admin;
  private final TopologyKeeper keeper;
  private final DelayStore store;
  private final Names names;

  /** As it was last verified, on the connection there is now; null while unknown. */
  private volatile @Nullable String current;

  private volatile long agreedAt;

  /** How many there were. */
  private final AtomicInteger connections = new AtomicInteger();

  public BrokerEpoch(AdminChannels admin, TopologyKeeper keeper, DelayStore store, Names names) {
    this.admin = admin;
    this.keeper = keeper;
    this.store = store;
    this.names = names;
  }

  /** A new connection may lead to another disk; what is being looked at now may be the old one. */
  public void forget() {
    synchronized (connections) {
      connections.incrementAndGet();
      current = null;
    }
  }

  /** Looks, and begins a new epoch if there is none or the last one is over. */
  String verify() throws IOException, TimeoutException {
    String known = current;
    return known != null && isFresh() ? known : look();
  }

  private boolean isFresh() {
    return System.nanoTime() - agreedAt < AGREED_FOR.toNanos();
  }

  private synchronized String look() throws IOException, TimeoutException {
    String known = current;
    if (known != null && isFresh()) {
      return known;
    }
    if (known != null && store.epoch().filter(known::equals).isPresent()) {
      agreedAt = System.nanoTime();
      return known; // current stays as it is: it may have been forgotten meanwhile
    }
    int connection = connections.get();
    for (int tries = 0; tries < LOOKS; tries++) {
      Optional<String> agreed = store.epoch();
      if (agreed.isPresent() && !names.ownEpoch(agreed.get())) {
        throw new IOException(
            "the store holds messages of another name prefix (epoch %s); give each its own store"
                .formatted(agreed.get()));
      }
      if (agreed.isPresent() && alive(agreed.get())) {
        return agreed(agreed.get(), connection);
      }
      Optional<String> begun = replace(agreed);
      if (begun.isPresent()) {
        return agreed(begun.get(), connection);
      }
    }
    throw new IOException("others keep replacing the epoch; there may be two brokers on one store");
  }

  private String agreed(String epoch, int connection) {
    synchronized (connections) {
      if (connection == connections.get()) {
        agreedAt = System.nanoTime();
        current = epoch;
      }
    }
    return epoch;
  }

  /** Empty if another was faster. Its queue stays only if the store knows of it. */
  private Optional<String> replace(Optional<String> agreed) throws IOException, TimeoutException {
    String next = names.newEpoch(UUID.randomUUID());
    boolean replaced = false;
    try {
      begin(next);
      replaced = store.replaceEpoch(agreed, next);
    } finally {
      if (!replaced) {
        delete(names.epochQueue(next));
      }
    }
    if (replaced && agreed.isPresent()) {
      LOG.warn(
          "The broker has lost its disk: epoch {} is over, {} begins. What was held with"
              + " tracking will be loaded again, the rest is lost",
          agreed.get(),
          next);
    }
    return replaced ? Optional.of(next) : Optional.empty();
  }

  private void delete(String queue) {
    try {
      admin.call(channel -> channel.queueDelete(queue));
    } catch (IOException | TimeoutException e) {
      LOG.warn("{} is left behind and can be deleted: {}", queue, ErrorWords.of(e));
    }
  }

  private boolean alive(String epoch) throws IOException, TimeoutException {
    for (int look = 0; look < LOOKS; look++) {
      try {
        if (admin.holdsMessage(names.epochQueue(epoch))) {
          return true;
        }
      } catch (IOException e) {
        if (BrokerError.code(e) == BrokerError.NOT_FOUND) {
          return false;
        }
        throw e;
      }
      pause();
    }
    return false;
  }

  private void begin(String epoch) throws IOException, TimeoutException {
    String queue = names.epochQueue(epoch);
    admin.callPublishing(
        channel -> {
          TopologyKeeper.declare(channel, QueueSpec.epoch(queue));
          channel.confirmSelect();
          byte[] body = epoch.getBytes(StandardCharsets.UTF_8);
          channel.basicPublish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, body);
          try {
            channel.waitForConfirmsOrDie(10_000);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while beginning an epoch", e);
          } catch (TimeoutException e) {
            throw new IOException("the broker did not confirm the message of a new epoch", e);
          }
          return epoch;
        });
    keeper.flushNames(); // forgotten by a killed broker, its queue would look like a lost disk
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(BETWEEN_LOOKS.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while looking for the epoch's queue", e);
    }
  }
}
