// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.HoldOptions.NativeMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a publisher: its routes, the policy of messages that match none, and the
 * options of holding, publishing and loading. Immutable; read from YAML or built in code.
 */
public final class DelayRoutes {
  private final List<DelayRoute> routes;
  private final DelayRoute defaults;
  private final HoldOptions hold;
  private final PublisherOptions publisher;
  private final LoaderOptions loader;
  private final @Nullable YamlNode schedules;
  private final Map<String, DelayRoute> byName;
  private final Map<Target, DelayRoute> byTarget;

  private DelayRoutes(Builder builder) {
    routes = List.copyOf(builder.byName.values());
    byName = Map.copyOf(builder.byName);
    byTarget = Map.copyOf(builder.byTarget);
    defaults = builder.defaults;
    hold = builder.hold;
    publisher = builder.publisher;
    loader = builder.loader;
    schedules = builder.schedules;
  }

  /** A configuration without routes, with all defaults: every delay rides the wheel. */
  public static DelayRoutes none() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    Builder builder = new Builder();
    routes.forEach(builder::route);
    return builder
        .schedules(schedules)
        .defaults(defaults)
        .hold(hold)
        .publisher(publisher)
        .loader(loader);
  }

  /**
   * Reads a YAML file. It needs {@code jackson-dataformat-yaml} on the class path.
   *
   * @throws InvalidConfigurationException naming the file, the key and what is allowed
   */
  public static DelayRoutes load(Path file) {
    return load(file, (routes, top) -> routes);
  }

  /**
   * Reads a YAML file with sections of other modules, and reports all its faults at once.
   *
   * @param more makes the result from the routes and the value of {@code pocketwatch}; its result
   *     is dropped if anything was refused
   * @throws InvalidConfigurationException naming the file, the key and what is allowed
   */
  public static <T> T load(Path file, BiFunction<DelayRoutes, YamlNode, T> more) {
    return YamlRoutes.load(file, more);
  }

  /**
   * Reads properties: the keys below {@code pocketwatch} as nested maps and lists, with values of
   * any simple type or as texts. It needs {@code jackson-databind}.
   *
   * @param source what to call it in error messages
   * @throws InvalidConfigurationException naming the source, the key and what is allowed
   */
  public static DelayRoutes of(Map<String, ?> properties, String source) {
    return of(properties, source, YamlRoutes::others, (routes, top) -> routes);
  }

  /**
   * As {@link #of(Map, String)}, for a framework with keys of its own; reports all faults at once.
   * A fault of a {@link YamlNode.Written} is reported with its origin.
   *
   * @param own reads the framework's own keys of the value of {@code pocketwatch}
   * @param more as for {@link #load(Path, BiFunction)}
   * @throws InvalidConfigurationException naming the source, the key and what is allowed
   */
  public static <T> T of(
      Map<String, ?> properties,
      String source,
      Consumer<YamlNode> own,
      BiFunction<DelayRoutes, YamlNode, T> more) {
    return YamlRoutes.of(properties, source, own, more);
  }

  /**
   * Reads YAML text.
   *
   * @param source what to call it in error messages
   * @throws InvalidConfigurationException naming the source, the key and what is allowed
   */
  public static DelayRoutes parse(String yaml, String source) {
    return YamlRoutes.parse(yaml, source, (routes, top) -> routes);
  }

  public List<DelayRoute> routes() {
    return routes;
  }

  public DelayRoute defaults() {
    return defaults;
  }

  public HoldOptions hold() {
    return hold;
  }

  public PublisherOptions publisher() {
    return publisher;
  }

  /** When messages move from the database to the broker. */
  public LoaderOptions loader() {
    return loader;
  }

  /** The section {@code schedules}, which the module of schedules reads, or null. */
  public @Nullable YamlNode schedules() {
    return schedules;
  }

  /**
   * Reports each key that tracks messages, where there is no store to keep them.
   *
   * @param top the value of {@code pocketwatch} from which these routes were read
   */
  public void refuseTracked(YamlNode top) {
    YamlRoutes.refuseTracked(this, top);
  }

  /** The routes that keep a row of every message. */
  public List<DelayRoute> tracked() {
    return all().filter(route -> route.tracked()).toList();
  }

  /** The route of that name, or null. */
  public @Nullable DelayRoute named(String name) {
    return name.equals(DelayRoute.DEFAULTS) ? defaults : byName.get(name);
  }

  /**
   * The route for a target: exact exchange and routing key, else the exchange alone, else the
   * defaults. Never fails.
   */
  public DelayRoute match(String exchange, String routingKey) {
    DelayRoute exact = byTarget.get(new Target(exchange, routingKey));
    if (exact != null) {
      return exact;
    }
    return byTarget.getOrDefault(new Target(exchange, null), defaults);
  }

  /** Every configured delay, each of which has a TTL queue; shortest first. */
  public List<Duration> delays() {
    TreeSet<Duration> delays = new TreeSet<>();
    all().forEach(route -> delays.addAll(route.delays()));
    return List.copyOf(delays);
  }

  /** Whether a route, or the defaults, name this strategy. */
  public boolean asksFor(DelayStrategy strategy) {
    return all().anyMatch(route -> route.strategy() == strategy);
  }

  /** Whether a route, or {@code pocketwatch.native}, asks for RabbitMQ 4.4's own delay. */
  public boolean asksForNative() {
    return hold.nativeMode() == NativeMode.AUTO || asksFor(DelayStrategy.DELIVERY_TIME);
  }

  /** The routes and the defaults. */
  public Stream<DelayRoute> all() {
    return Stream.concat(routes.stream(), Stream.of(defaults));
  }

  /** Collects routes and options; the others keep their defaults. Not thread-safe. */
  public static final class Builder {
    private final Map<String, DelayRoute> byName = new LinkedHashMap<>();
    private final Map<Target, DelayRoute> byTarget = new HashMap<>();
    private DelayRoute defaults = DelayRoute.defaults();
    private HoldOptions hold = HoldOptions.defaults();
    private PublisherOptions publisher = PublisherOptions.defaults();
    private LoaderOptions loader = LoaderOptions.defaults();
    private @Nullable YamlNode schedules;

    private Builder() {}

    Builder schedules(@Nullable YamlNode schedules) {
      this.schedules = schedules;
      return this;
    }

    /**
     * Adds a route.
     *
     * @throws IllegalArgumentException if another one has its name or matches the same messages
     */
    public Builder route(DelayRoute route) {
      boolean taken = route.name().equals(DelayRoute.DEFAULTS) || byName.containsKey(route.name());
      if (taken) {
        throw new IllegalArgumentException("two routes are named '" + route.name() + "'");
      }
      DelayRoute twin = byTarget.putIfAbsent(Target.of(route), route);
      if (twin != null) {
        throw new IllegalArgumentException(
            "routes '%s' and '%s' match the same exchange '%s' and routing-key %s"
                .formatted(
                    twin.name(),
                    route.name(),
                    route.exchange(),
                    route.routingKey() == null ? "(any)" : "'" + route.routingKey() + "'"));
      }
      byName.put(route.name(), route);
      return this;
    }

    /** The policy of messages that match no route. */
    public Builder defaults(DelayRoute defaults) {
      if (!defaults.name().equals(DelayRoute.DEFAULTS)) {
        throw new IllegalArgumentException(
            "the defaults must be named '%s', not '%s'"
                .formatted(DelayRoute.DEFAULTS, defaults.name()));
      }
      this.defaults = defaults;
      return this;
    }

    public Builder hold(HoldOptions hold) {
      this.hold = hold;
      return this;
    }

    public Builder publisher(PublisherOptions publisher) {
      this.publisher = publisher;
      return this;
    }

    /** When messages move from the database to the broker. */
    public Builder loader(LoaderOptions loader) {
      this.loader = loader;
      return this;
    }

    /** Makes the configuration. */
    public DelayRoutes build() {
      return new DelayRoutes(this);
    }
  }

  private record Target(String exchange, @Nullable String routingKey) {
    static Target of(DelayRoute route) {
      return new Target(route.exchange(), route.routingKey());
    }
  }
}
