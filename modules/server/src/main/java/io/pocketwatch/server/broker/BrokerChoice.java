// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerSource;
import io.pocketwatch.localbroker.BrokerUnavailableException;
import io.pocketwatch.localbroker.DetachedBroker;
import io.pocketwatch.localbroker.LadderListener;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The broker of a command.
 *
 * @param node the node; to be closed only if it is the command's own
 * @param own whether it was started for this command and ends with it
 */
public record BrokerChoice(BrokerNode node, boolean own) implements AutoCloseable {
  private static final String PLUGINS_VARIABLE = "POCKETWATCH_BROKER_PLUGINS";
  private static final String DELAYED_PLUGIN = "rabbitmq_delayed_message_exchange";

  /**
   * The given address; else the one in the environment; else the running broker of {@code
   * pocketwatch broker}; else one that is started now. Of several addresses the first that answers.
   *
   * @throws BrokerUnavailableException if there is none
   */
  public static BrokerChoice make(@Nullable BrokerAddresses given, LadderListener listener) {
    Optional<BrokerAddresses> named = named(given);
    if (named.isEmpty()) {
      Optional<BrokerNode> running = DetachedBroker.ofUser().running();
      if (running.isPresent()) {
        listener.report("Using the one started with 'pocketwatch broker start'");
        return new BrokerChoice(running.get(), false);
      }
    }
    BrokerNode node = find(given, named, options -> find(options, listener), listener);
    return new BrokerChoice(node, node.source() != BrokerSource.ADDRESS);
  }

  /**
   * The same, but never one that is started now: what a demo may do would hide from a real load
   * that nobody named its broker.
   *
   * @throws BrokerUnavailableException if none of those named answers
   * @throws CommandFailedException if none is named
   */
  public static NamedBroker named(@Nullable BrokerAddresses given, LadderListener listener) {
    Optional<BrokerAddresses> named = named(given);
    if (named.isPresent()) {
      return new NamedBroker(
          find(given, named, options -> LocalBroker.find(options, listener), listener),
          named.get().nodes());
    }
    return DetachedBroker.ofUser()
        .running()
        .map(node -> new NamedBroker(node, List.of()))
        .orElseThrow(
            () ->
                new CommandFailedException(
                    ExitCodes.NO_BROKER,
                    "no broker is named: give --broker URI or set POCKETWATCH_BROKER; to try it out:"
                        + " pocketwatch broker start"));
  }

  private static Optional<BrokerAddresses> named(@Nullable BrokerAddresses given) {
    try {
      return given == null ? BrokerAddresses.named(System.getenv()) : Optional.of(given);
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(
          ExitCodes.NO_BROKER, BrokerAddresses.VARIABLE + " " + e.getMessage(), e);
    }
  }

  /** One address is left in its variable if it is in one, so that the words about it say so. */
  private static BrokerNode find(
      @Nullable BrokerAddresses given,
      Optional<BrokerAddresses> named,
      Function<LocalBrokerOptions, BrokerNode> search,
      LadderListener listener) {
    LocalBrokerOptions options = LocalBrokerOptions.defaults();
    if (named.isEmpty() || !named.get().several()) {
      String found = System.getenv(BrokerAddresses.VARIABLE);
      boolean in = given == null && found != null && !found.isBlank();
      URI address = in ? null : named.map(BrokerAddresses::first).orElse(null);
      return search.apply(options.withAddress(address));
    }
    BrokerUnavailableException last = null;
    for (URI each : named.get().uris()) {
      try {
        return search.apply(options.withAddress(each));
      } catch (BrokerUnavailableException e) {
        listener.report("It does not answer");
        last = e;
      }
    }
    throw Objects.requireNonNull(last);
  }

  /** With the delayed-message plugin where somebody has named a folder and it fits. */
  private static BrokerNode find(LocalBrokerOptions options, LadderListener listener) {
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
      listener.report("Going on without " + DELAYED_PLUGIN);
      return LocalBroker.find(options, listener);
    }
  }

  @Override
  public void close() {
    if (own) {
      node.close();
    }
  }
}
