// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import io.pocketwatch.internal.base.ErrorWords;
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

  private static final List<String> POLICY_KEYS =
      List.of(
          "delays",
          "strategy",
          "resolution",
          "default-delay",
          "spread",
          "isolation",
          "retries",
          "user-expiration");

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
      throw refuse(source, "cannot be read: " + ErrorWords.of(e), e);
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
    return read(YamlNode.texts(Map.of("pocketwatch", properties), source));
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
        // Sections of other modules, which must not be in the way of the routes.
        "schedules",
        "store",
        "server");
    DelayRoutes.Builder routes =
        DelayRoutes.builder().hold(YamlHold.read(top)).schedules(top.find("schedules"));
    top.set("publisher", YamlRoutes::publisher, routes::publisher);
    top.set("loader", YamlStore::loader, routes::loader);
    DelayRoute defaults = top.read("defaults", YamlRoutes::defaults, DelayRoute.defaults());
    routes.defaults(defaults);
    YamlNode section = top.find("routes");
    if (section == null) {
      return routes.build();
    }
    section
        .children()
        .forEach((name, node) -> routes.route(node.check(() -> route(name, node, defaults))));
    return section.check(routes::build);
  }

  private static DelayRoute defaults(YamlNode node) {
    node.allow(keys());
    return policy(node, DelayRoute.builder(DelayRoute.DEFAULTS), StorePolicy.defaults());
  }

  private static DelayRoute route(String name, YamlNode node, DelayRoute defaults) {
    node.allow(keys("exchange", "routing-key"));
    if (name.equals(DelayRoute.DEFAULTS)) {
      throw node.refuse("the name is taken; messages without a route go by pocketwatch.defaults");
    }
    DelayRoute.Builder route =
        DelayRoute.builder(name)
            .spread(defaults.spread())
            .isolation(defaults.isolation())
            .userExpiration(defaults.userExpiration());
    node.set("exchange", YamlRoutes::shortText, route::exchange);
    node.set("routing-key", YamlRoutes::shortText, route::routingKey);
    if (defaults.resolution() != null) {
      route.resolution(defaults.resolution());
    }
    if (defaults.strategy() != null) {
      route.strategy(defaults.strategy());
    }
    if (defaults.retries() != null) {
      route.retries(defaults.retries().toArray(Duration[]::new));
    }
    return policy(node, route, defaults.store());
  }

  private static DelayRoute policy(YamlNode node, DelayRoute.Builder route, StorePolicy inherited) {
    node.set("delays", YamlNode::delays, delays -> route.delays(delays.toArray(Duration[]::new)));
    node.set("strategy", word -> word.oneOf(HOLDING), route::strategy);
    node.set("resolution", YamlNode::duration, route::resolution);
    node.set("default-delay", YamlNode::delay, route::defaultDelay);
    node.set("spread", YamlNode::duration, route::spread);
    node.set("isolation", word -> word.oneOf(Isolation.values()), route::isolation);
    node.set("retries", YamlNode::delays, pauses -> route.retries(pauses.toArray(Duration[]::new)));
    node.set("user-expiration", word -> word.oneOf(UserExpiration.values()), route::userExpiration);
    return route.store(YamlStore.policy(node, inherited)).build();
  }

  /** Those of a policy, in a route or in the defaults, behind those of a route alone. */
  private static String[] keys(String... own) {
    return Stream.of(Stream.of(own), POLICY_KEYS.stream(), YamlStore.POLICY_KEYS.stream())
        .flatMap(each -> each)
        .toArray(String[]::new);
  }

  private static PublisherOptions publisher(YamlNode node) {
    node.allow("channels", "max-in-flight", "confirm-timeout", "max-body-size");
    PublisherOptions.Builder options = PublisherOptions.builder();
    node.set("channels", YamlNode::integer, options::channels);
    node.set("max-in-flight", YamlNode::integer, options::maxInFlight);
    node.set("confirm-timeout", YamlNode::duration, options::confirmTimeout);
    node.set("max-body-size", YamlNode::integer, options::maxBodySize);
    return options.build();
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
