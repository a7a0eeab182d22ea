// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.Connection;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.probe.PolicyProbe;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses to start where policies harm our queues. It looks once in the life of a publisher, in
 * parallel with the declarations, so that it takes next to no time.
 */
final class Policies {
  private static final Logger LOG = LoggerFactory.getLogger(Policies.class);
  private static final Duration HELD = Duration.ofMillis(150);
  private static final int CLOSE_MS = 500;

  /** The limit of a whole look; each of its steps has a shorter one. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final Connections connections;
  private final HoldOptions hold;
  private final Scheduler scheduler;
  private final String token = UUID.randomUUID().toString();
  private boolean known;

  Policies(Connections connections, HoldOptions hold, Scheduler scheduler) {
    this.scheduler = scheduler;
    this.connections = connections;
    this.hold = hold;
  }

  /** Begins a look on a thread of its own, unless there was one. */
  Look begin() {
    Look look = new Look();
    if (!known) {
      look.begin();
    }
    return look;
  }

  /** One look; to be closed. */
  final class Look implements AutoCloseable {
    private final CompletableFuture<PolicyProbe> begun = new CompletableFuture<>();
    private volatile @Nullable Connection connection;

    private void begin() {
      scheduler.start(
          "pocketwatch-policies",
          () -> {
            try {
              begun.complete(begunProbe());
            } catch (Exception | Error e) { // end() waits for this
              begun.completeExceptionally(e);
            }
          });
    }

    private PolicyProbe begunProbe() throws IOException, TimeoutException, InterruptedException {
      Connection own = connections.openQuietly("policies");
      connection = own;
      PolicyProbe probe = new PolicyProbe(own, hold, token, scheduler);
      try {
        probe.begin();
        return probe;
      } catch (IOException | InterruptedException | RuntimeException | Error e) {
        closeQuietly(probe);
        throw e;
      }
    }

    /**
     * Ends the look; call it when everything is declared.
     *
     * @throws TopologyException if policies do harm
     */
    void end() {
      if (known) {
        return;
      }
      Optional<String> harm;
      try {
        harm = scheduler.await(begun, PATIENCE).end(HELD);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (Exception e) {
        LOG.warn("What policies do to our queues is not known: {}", ErrorWords.of(e));
        return; // the next connection may show them
      }
      if (harm.isPresent()) {
        throw new TopologyException(harm.get());
      }
      known = true;
    }

    @Override
    public void close() {
      begun.whenComplete(
          (probe, problem) -> {
            if (probe != null) {
              closeQuietly(probe);
            }
            Connection own = connection;
            if (own != null) {
              own.abort(CLOSE_MS);
            }
          });
    }
  }

  private static void closeQuietly(PolicyProbe probe) {
    try {
      probe.close();
    } catch (IOException | RuntimeException e) {
      LOG.debug("What a probe has declared is left to its expiry", e);
    }
  }
}
