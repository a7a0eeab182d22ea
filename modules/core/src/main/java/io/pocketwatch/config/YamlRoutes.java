// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.base.DurationText;
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
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
          "user-expiration",
          "tracking",
          "handoff-before",
          "consumers",
          "insert-limit",
          "weight");

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
        DelayRoutes.builder().hold(hold(top)).schedules(top.find("schedules"));
    top.set("publisher", YamlRoutes::publisher, routes::publisher);
    top.set("loader", YamlRoutes::loader, routes::loader);
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
    return policy(node, DelayRoute.builder(DelayRoute.DEFAULTS));
  }

  private static DelayRoute route(String name, YamlNode node, DelayRoute defaults) {
    node.allow(keys("exchange", "routing-key"));
    if (name.equals(DelayRoute.DEFAULTS)) {
      throw node.refuse("the name is taken; messages without a route go by pocketwatch.defaults");
    }
    DelayRoute.Builder route = DelayRoute.builder(name).inherit(defaults);
    node.set("exchange", YamlRoutes::shortText, route::exchange);
    node.set("routing-key", YamlRoutes::shortText, route::routingKey);
    return policy(node, route);
  }

  private static DelayRoute policy(YamlNode node, DelayRoute.Builder route) {
    node.set("delays", YamlNode::delays, delays -> route.delays(delays.toArray(Duration[]::new)));
    node.set("strategy", word -> word.oneOf(HOLDING), route::strategy);
    node.set("resolution", YamlNode::duration, route::resolution);
    node.set("default-delay", YamlNode::delay, route::defaultDelay);
    node.set("spread", YamlNode::duration, route::spread);
    node.set("isolation", word -> word.oneOf(Isolation.values()), route::isolation);
    node.set("retries", YamlNode::delays, pauses -> route.retries(pauses.toArray(Duration[]::new)));
    node.set("user-expiration", word -> word.oneOf(UserExpiration.values()), route::userExpiration);
    node.set("tracking", word -> word.oneOf(Tracking.values()), route::tracking);
    node.set("handoff-before", YamlNode::duration, route::handoffBefore);
    node.set("consumers", YamlNode::integer, route::consumers);
    node.set("insert-limit", YamlNode::integer, route::insertLimit);
    node.set("weight", YamlNode::integer, route::weight);
    return route.build();
  }

  /** Those of a policy, in a route or in the defaults, behind those of a route alone. */
  private static String[] keys(String... own) {
    return Stream.concat(Stream.of(own), POLICY_KEYS.stream()).toArray(String[]::new);
  }

  private static HoldOptions hold(YamlNode top) {
    HoldOptions.Builder hold = HoldOptions.builder();
    top.set("name-prefix", YamlNode::text, hold::namePrefix);
    top.set("topology", word -> word.oneOf(TopologyMode.values()), hold::topology);
    top.set("wheel", YamlRoutes::wheel, hold::wheel);
    top.set("ttl-queues", YamlRoutes::ttlQueues, hold::ttlQueues);
    top.set("temporary-queues", YamlRoutes::temporaryQueues, hold::temporaryQueues);
    top.set("native", YamlRoutes::nativeMode, hold::nativeMode);
    return hold.build();
  }

  /** Some readers of YAML make a truth value of a bare {@code off}. */
  private static NativeMode nativeMode(YamlNode node) {
    return node.isFalse() ? NativeMode.OFF : node.oneOf(NativeMode.values());
  }

  private static WheelOptions wheel(YamlNode node) {
    node.allow("max-delay", "resolution", "hands", "queue-type", "accept-loss");
    WheelOptions.Builder wheel = WheelOptions.builder();
    node.set("max-delay", YamlNode::delay, wheel::maxDelay);
    wheel.hands(hands(node)).queues(queues(node));
    return node.check(wheel::build);
  }

  private static List<Duration> hands(YamlNode wheel) {
    YamlNode resolution = wheel.find("resolution");
    if (resolution == null) {
      return wheel.read("hands", YamlNode::delays, WheelOptions.defaults().hands());
    }
    Duration finest = resolution.delay();
    List<Duration> hands = wheel.read("hands", YamlNode::delays, WheelOptions.naturalHands(finest));
    if (!hands.isEmpty() && !hands.get(hands.size() - 1).equals(finest)) {
      throw resolution.refuse(
          "%s is not the last of the hands, %s; make them agree or leave one of the two out"
              .formatted(
                  DurationText.format(finest), DurationText.format(hands.get(hands.size() - 1))));
    }
    return hands;
  }

  private static HoldQueues ttlQueues(YamlNode node) {
    node.allow("queue-type", "accept-loss");
    return queues(node);
  }

  private static TemporaryQueueOptions temporaryQueues(YamlNode node) {
    node.allow("max", "grace", "linger", "queue-type", "accept-loss");
    TemporaryQueueOptions.Builder options = TemporaryQueueOptions.builder();
    options.queues(queues(node));
    node.set("max", YamlNode::integer, options::max);
    node.set("grace", YamlNode::duration, options::grace);
    node.set("linger", YamlNode::duration, options::linger);
    return options.build();
  }

  private static HoldQueues queues(YamlNode node) {
    HoldQueueType type =
        node.read("queue-type", word -> word.oneOf(HoldQueueType.values()), HoldQueueType.QUORUM);
    boolean acceptLoss = node.read("accept-loss", YamlNode::bool, false);
    return node.check(() -> new HoldQueues(type, acceptLoss));
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

  private static LoaderOptions loader(YamlNode node) {
    node.allow(
        "at",
        "zone",
        "every",
        "lead",
        "sweep",
        "lease",
        "batch",
        "rate",
        "grace",
        "max-silence",
        "target-patience",
        "retention",
        "history");
    LoaderOptions.Builder options = LoaderOptions.builder();
    node.set("at", YamlRoutes::timeOfDay, options::at);
    node.set("zone", YamlRoutes::zone, options::zone);
    node.set("every", YamlNode::duration, options::every);
    if (node.find("every") != null && node.find("at") != null) {
      throw node.refuse("has both 'at' and 'every'; leave one of the two out");
    }
    node.set("lead", YamlNode::duration, options::lead);
    node.set("sweep", YamlNode::duration, options::sweep);
    node.set("lease", YamlNode::duration, options::lease);
    node.set("batch", YamlNode::integer, options::batch);
    node.set("rate", YamlNode::integer, options::rate);
    node.set("grace", YamlNode::duration, options::grace);
    node.set("max-silence", YamlNode::duration, options::maxSilence);
    node.set("target-patience", YamlNode::duration, options::targetPatience);
    node.set("retention", YamlNode::duration, options::retention);
    node.set("history", YamlRoutes::history, history -> options.history(history.orElse(null)));
    return options.build();
  }

  private static Optional<Duration> history(YamlNode node) {
    return node.is("forever") ? Optional.empty() : Optional.of(node.duration());
  }

  private static LocalTime timeOfDay(YamlNode node) {
    try {
      return LocalTime.parse(node.text());
    } catch (DateTimeException e) {
      throw node.refuse("'" + node.text() + "' is not a time of day; write for example \"00:00\"");
    }
  }

  private static ZoneId zone(YamlNode node) {
    try {
      return ZoneId.of(node.text());
    } catch (DateTimeException e) {
      throw node.refuse("'" + node.text() + "' is not a zone; write for example Europe/Berlin");
    }
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
