// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Options for the broker that is wanted. Immutable; equal options ask for equal brokers.
 *
 * @param version beginning of the wanted version in whole numbers ({@code 4.3}, {@code 3.10}). Null
 *     takes any version of an address or installation, and 4.3 where there is a choice
 * @param sources which sources may be used
 * @param controllable whether the caller wants to stop, kill or wipe it, so that an address will
 *     not do
 * @param plugins plugins switched on in a node that is started; all must be there
 * @param pluginFolders folders with further plugins ({@code .ez} files or unpacked), before those
 *     named in {@code POCKETWATCH_BROKER_PLUGINS}
 * @param configLines further lines for {@code rabbitmq.conf}
 * @param advancedConfig text of {@code advanced.config}, or null for none
 * @param port the AMQP port a started node takes if it is free (a {@link DetachedBroker} insists on
 *     it); 0 for any free one
 * @param startTimeout how long a node may take until it accepts connections
 * @param settableClock whether the caller wants to set its clock, by {@link BrokerNode#setClock}.
 *     Only nodes from packages can; the library that does it is downloaded when first wanted
 */
public record LocalBrokerOptions(
    @Nullable String version,
    Set<BrokerSource> sources,
    boolean controllable,
    List<String> plugins,
    List<Path> pluginFolders,
    List<String> configLines,
    @Nullable String advancedConfig,
    int port,
    Duration startTimeout,
    boolean settableClock) {

  /**
   * The default {@code advanced.config}. Dead-lettering from quorum queues is the heart of every
   * hold. The stock prefetch of 32 halves its rate. The stock retry after 180 s makes messages that
   * were in flight during a crash three minutes late.
   */
  public static final String TUNED_ADVANCED_CONFIG =
      "[{rabbit,[{dead_letter_worker_consumer_prefetch,500},"
          + "{dead_letter_worker_publisher_confirm_timeout,2500}]}].\n";

  /** The plugins of a node when nothing else is asked for. */
  public static final List<String> DEFAULT_PLUGINS = List.of("rabbitmq_management");

  /** Checks every value. */
  public LocalBrokerOptions {
    if (version != null && !Versions.valid(version)) {
      throw new IllegalArgumentException(
          "version '" + version + "' is not the beginning of a version such as 4, 4.3 or 4.3.6");
    }
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("sources is empty: name at least one source");
    }
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException("port " + port + " is not within 0..65535");
    }
    if (startTimeout.isNegative() || startTimeout.isZero()) {
      throw new IllegalArgumentException("startTimeout " + startTimeout + " is not positive");
    }
    plugins.forEach(LocalBrokerOptions::checkPlugin);
    sources = Set.copyOf(sources);
    plugins = plugins.stream().distinct().sorted().toList();
    pluginFolders = List.copyOf(pluginFolders);
    configLines = List.copyOf(configLines);
  }

  /** Any version, any source, management plugin on, tuned, two minutes to start. */
  public static LocalBrokerOptions defaults() {
    return new LocalBrokerOptions(
        null,
        EnumSet.allOf(BrokerSource.class),
        false,
        DEFAULT_PLUGINS,
        List.of(),
        List.of(),
        TUNED_ADVANCED_CONFIG,
        0,
        Duration.ofMinutes(2),
        false);
  }

  /** The folders of these options, then those of the environment for this version. */
  List<Path> pluginFolders(Environment base, String startedVersion) {
    return Stream.concat(pluginFolders.stream(), base.pluginFolders(startedVersion).stream())
        .toList();
  }

  private static void checkPlugin(String name) {
    if (!name.matches("[a-z][a-z0-9_]*")) {
      throw new IllegalArgumentException("'" + name + "' is not the name of a RabbitMQ plugin");
    }
  }

  /** These options with another wanted version. */
  public LocalBrokerOptions withVersion(@Nullable String value) {
    return with(draft -> draft.version = value);
  }

  /** These options with other allowed sources. */
  public LocalBrokerOptions withSources(Set<BrokerSource> value) {
    return with(draft -> draft.sources = value);
  }

  /** These options, insisting on a node that can be controlled, or not. */
  public LocalBrokerOptions withControllable(boolean value) {
    return with(draft -> draft.controllable = value);
  }

  /** These options with other plugins; an empty list starts fastest. */
  public LocalBrokerOptions withPlugins(List<String> value) {
    return with(draft -> draft.plugins = value);
  }

  /** These options with other folders of further plugins. */
  public LocalBrokerOptions withPluginFolders(List<Path> value) {
    return with(draft -> draft.pluginFolders = value);
  }

  /** These options with other further lines for {@code rabbitmq.conf}. */
  public LocalBrokerOptions withConfigLines(List<String> value) {
    return with(draft -> draft.configLines = value);
  }

  /** These options with another {@code advanced.config}, or none. */
  public LocalBrokerOptions withAdvancedConfig(@Nullable String value) {
    return with(draft -> draft.advancedConfig = value);
  }

  /** These options with a preferred AMQP port. */
  public LocalBrokerOptions withPort(int value) {
    return with(draft -> draft.port = value);
  }

  /** These options with another limit for the start. */
  public LocalBrokerOptions withStartTimeout(Duration value) {
    return with(draft -> draft.startTimeout = value);
  }

  /** These options, insisting on a node whose clock can be set, or not. */
  public LocalBrokerOptions withSettableClock(boolean value) {
    return with(draft -> draft.settableClock = value);
  }

  private LocalBrokerOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new LocalBrokerOptions(
        draft.version,
        draft.sources,
        draft.controllable,
        draft.plugins,
        draft.pluginFolders,
        draft.configLines,
        draft.advancedConfig,
        draft.port,
        draft.startTimeout,
        draft.settableClock);
  }

  /** The same values, to be changed. */
  private static final class Draft {
    private @Nullable String version;
    private Set<BrokerSource> sources;
    private boolean controllable;
    private List<String> plugins;
    private List<Path> pluginFolders;
    private List<String> configLines;
    private @Nullable String advancedConfig;
    private int port;
    private Duration startTimeout;
    private boolean settableClock;

    private Draft(LocalBrokerOptions from) {
      version = from.version;
      sources = from.sources;
      controllable = from.controllable;
      plugins = from.plugins;
      pluginFolders = from.pluginFolders;
      configLines = from.configLines;
      advancedConfig = from.advancedConfig;
      port = from.port;
      startTimeout = from.startTimeout;
      settableClock = from.settableClock;
    }
  }
}
