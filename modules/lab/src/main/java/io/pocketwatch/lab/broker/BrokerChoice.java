// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.broker;

import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerSource;
import io.pocketwatch.localbroker.BrokerUnavailableException;
import io.pocketwatch.localbroker.DetachedBroker;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.server.broker.BrokerAddresses;
import io.pocketwatch.server.broker.NamedBroker;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The broker of a command that may also start one.
 *
 * @param own the node, if it was started for this command and ends with it
 */
public record BrokerChoice(NamedBroker broker, BrokerSource source, @Nullable BrokerNode own)
    implements AutoCloseable {
  private static final String PLUGINS_VARIABLE = "POCKETWATCH_BROKER_PLUGINS";
  private static final String DELAYED_PLUGIN = "rabbitmq_delayed_message_exchange";

  /**
   * The given address; else the one in the environment; else the running broker of {@code
   * pocketwatch broker}; else one that is started now. Of several addresses the first that answers.
   *
   * @throws CommandFailedException if none of those named answers
   * @throws BrokerUnavailableException if none is named, and none can be started
   */
  public static BrokerChoice make(@Nullable BrokerAddresses given, Consumer<String> listener) {
    Optional<NamedBroker> named = NamedBroker.find(given, listener);
    if (named.isPresent()) {
      return new BrokerChoice(named.get(), BrokerSource.ADDRESS, null);
    }
    Optional<BrokerNode> running = DetachedBroker.ofUser().running();
    if (running.isPresent()) {
      listener.accept("Using the one started with 'pocketwatch broker start'");
      return new BrokerChoice(named(running.get()), running.get().source(), null);
    }
    BrokerNode node = start(listener);
    return new BrokerChoice(named(node), node.source(), node);
  }

  static NamedBroker named(BrokerNode node) {
    return new NamedBroker(node.amqpUri(), node.version(), List.of(), node.managementUri());
  }

  /** With the delayed-message plugin where somebody has named a folder and it fits. */
  private static BrokerNode start(Consumer<String> listener) {
    LocalBrokerOptions options = LocalBrokerOptions.defaults();
    boolean mayHavePlugin =
        System.getenv().keySet().stream().anyMatch(name -> name.startsWith(PLUGINS_VARIABLE));
    if (!mayHavePlugin) {
      return LocalBroker.find(options, listener);
    }
    List<String> plugins = new ArrayList<>(options.plugins());
    plugins.add(DELAYED_PLUGIN);
    try {
      return LocalBroker.find(options.withPlugins(plugins), listener);
    } catch (BrokerUnavailableException e) {
      if (!e.pluginMissing()) {
        throw e;
      }
      listener.accept("Going on without " + DELAYED_PLUGIN);
      return LocalBroker.find(options, listener);
    }
  }

  @Override
  public void close() {
    if (own != null) {
      own.close();
    }
  }
}
