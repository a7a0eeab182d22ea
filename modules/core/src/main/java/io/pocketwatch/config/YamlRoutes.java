// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The configuration in YAML: its keys, and what each of them sets. */
final class YamlRoutes {
  private static final int MAX_NAME_BYTES = 255;

  private static final DelayStrategy[] HOLDING = {
    DelayStrategy.TTL_QUEUE,
    DelayStrategy.QUEUE_WHEEL,
    DelayStrategy.TEMPORARY_QUEUE,
    DelayStrategy.DELAYED_EXCHANGE,
    DelayStrategy.DELIVERY_TIME
  };

  private YamlRoutes() {}

  static DelayRoutes load(Path file) {
    String source = file.toString();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(YamlDocument.MAX_SIZE + 1);
      if (bytes.length > YamlDocument.MAX_SIZE) {
        throw new InvalidConfigurationException(source, "", YamlDocument.TOO_LARGE);
      }
      ByteBuffer utf8 = ByteBuffer.wrap(bytes);
      return parse(StandardCharsets.UTF_8.newDecoder().decode(utf8).toString(), source);
    } catch (NoSuchFileException e) {
      throw refuse(source, "there is no such file", e);
    } catch (AccessDeniedException e) {
      throw refuse(source, "may not be read by this user", e);
    } catch (CharacterCodingException e) {
      throw refuse(source, "is not UTF-8 text", e);
    } catch (IOException e) {
      throw refuse(source, "cannot be read: " + e.getMessage(), e);
    }
  }

  static DelayRoutes parse(String yaml, String source) {
    try {
      return read(YamlDocument.parse(yaml, source));
    } catch (NoClassDefFoundError e) {
      throw refuse(
          source,
          "YAML needs com.fasterxml.jackson.dataformat:jackson-dataformat-yaml (2.15 or newer, not"
              + " Jackson 3) on the class path; add it, or build DelayRoutes in code",
          e);
    }
  }

  static DelayRoutes of(Map<String, ?> properties, String source) {
    return read(YamlNode.root(source, PropertyTree.of(properties)));
  }

  private static InvalidConfigurationException refuse(
      String source, String problem, Throwable cause) {
    return new InvalidConfigurationException(source, "", problem, cause);
  }

  private static DelayRoutes read(YamlNode document) {
    document.allow("pocketwatch");
    YamlNode top = document.find("pocketwatch");
    if (top == null) {
      throw document.refuse("has no key; write at least 'pocketwatch: {}'");
    }
    top.allow(
        "name-prefix",
        "topology",
        "routes",
        "defaults",
        "wheel",
        "ttl-queues",
        "temporary-queues",
        "native",
        "publisher",
        "loader",
        // The command line reads these two; routes are read the same with or without them.
        "store",
        "server");
    DelayRoutes routes =
        DelayRoutes.none()
            .withHold(YamlHold.read(top))
            .withPublisher(
                top.read("publisher", YamlRoutes::publisher, PublisherOptions.defaults()))
            .withLoader(top.read("loader", YamlStore::loader, LoaderOptions.defaults()))
            .withDefaults(top.read("defaults", YamlRoutes::defaults, DelayRoute.defaults()));
    return top.apply(
        routes, "routes", section -> routes(section, routes.defaults()), DelayRoutes::withRoutes);
  }

  private static List<DelayRoute> routes(YamlNode section, DelayRoute defaults) {
    List<DelayRoute> routes = new ArrayList<>();
    section
        .children()
        .forEach((name, node) -> routes.add(node.check(() -> route(name, node, defaults))));
    return routes;
  }

  private static DelayRoute defaults(YamlNode node) {
    node.allow(
        keys("delays", "strategy", "resolution", "default-delay", "isolation", "user-expiration"));
    return policy(node, DelayRoute.defaults());
  }

  private static DelayRoute route(String name, YamlNode node, DelayRoute defaults) {
    node.allow(
        keys(
            "exchange",
            "routing-key",
            "delays",
            "strategy",
            "resolution",
            "default-delay",
            "isolation",
            "user-expiration"));
    if (name.equals(DelayRoute.DEFAULTS)) {
      throw node.refuse("the name is taken; messages without a route go by pocketwatch.defaults");
    }
    String exchange = node.read("exchange", YamlRoutes::shortText, "");
    YamlNode routingKey = node.find("routing-key");
    DelayRoute route =
        routingKey == null
            ? DelayRoute.toExchange(name, exchange)
            : DelayRoute.to(name, exchange, shortText(routingKey));
    route =
        route
            .withIsolation(defaults.isolation())
            .withUserExpiration(defaults.userExpiration())
            .withStore(defaults.store());
    if (defaults.resolution() != null) {
      route = route.withResolution(defaults.resolution());
    }
    return policy(
        node, defaults.strategy() == null ? route : route.withStrategy(defaults.strategy()));
  }

  private static DelayRoute policy(YamlNode node, DelayRoute inherited) {
    DelayRoute route = inherited;
    route =
        node.apply(
            route,
            "delays",
            YamlNode::delays,
            (old, delays) -> old.withDelays(delays.toArray(Duration[]::new)));
    route = node.apply(route, "strategy", word -> word.oneOf(HOLDING), DelayRoute::withStrategy);
    route = node.apply(route, "resolution", YamlNode::duration, DelayRoute::withResolution);
    route = node.apply(route, "default-delay", YamlNode::delay, DelayRoute::withDefaultDelay);
    route =
        node.apply(
            route, "isolation", word -> word.oneOf(Isolation.values()), DelayRoute::withIsolation);
    route =
        node.apply(
            route,
            "user-expiration",
            word -> word.oneOf(UserExpiration.values()),
            DelayRoute::withUserExpiration);
    return route.withStore(YamlStore.policy(node, route.store()));
  }

  private static String[] keys(String... own) {
    return Stream.concat(Stream.of(own), YamlStore.POLICY_KEYS.stream()).toArray(String[]::new);
  }

  private static PublisherOptions publisher(YamlNode node) {
    node.allow("channels", "max-in-flight", "confirm-timeout", "max-body-size");
    PublisherOptions options = PublisherOptions.defaults();
    options = node.apply(options, "channels", YamlNode::integer, PublisherOptions::withChannels);
    options =
        node.apply(options, "max-in-flight", YamlNode::integer, PublisherOptions::withMaxInFlight);
    options =
        node.apply(
            options, "confirm-timeout", YamlNode::duration, PublisherOptions::withConfirmTimeout);
    return node.apply(
        options, "max-body-size", YamlNode::integer, PublisherOptions::withMaxBodySize);
  }

  /** A name as AMQP carries it. */
  private static String shortText(YamlNode node) {
    String text = node.text();
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_NAME_BYTES) {
      throw node.refuse("is %d bytes long; allowed: at most %d".formatted(bytes, MAX_NAME_BYTES));
    }
    return text;
  }
}
