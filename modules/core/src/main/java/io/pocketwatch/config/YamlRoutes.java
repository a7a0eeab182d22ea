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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;

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

  static <T> T load(Path file, BiFunction<DelayRoutes, YamlNode, T> more) {
    String source = file.toString();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(YamlDocument.MAX_SIZE + 1);
      if (bytes.length > YamlDocument.MAX_SIZE) {
        throw new InvalidConfigurationException(source, "", YamlDocument.TOO_LARGE);
      }
      ByteBuffer utf8 = ByteBuffer.wrap(bytes);
      return parse(StandardCharsets.UTF_8.newDecoder().decode(utf8).toString(), source, more);
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

  static <T> T parse(String yaml, String source, BiFunction<DelayRoutes, YamlNode, T> more) {
    try {
      return YamlDocument.read(yaml, source, document -> read(document, YamlRoutes::others, more));
    } catch (NoClassDefFoundError e) {
      throw refuse(
          source,
          "YAML needs com.fasterxml.jackson.dataformat:jackson-dataformat-yaml (2.15 or newer, not"
              + " Jackson 3) on the class path; add it, or build DelayRoutes in code",
          e);
    }
  }

  static <T> T of(
      Map<String, ?> properties,
      String source,
      Consumer<YamlNode> own,
      BiFunction<DelayRoutes, YamlNode, T> more) {
    return YamlNode.texts(Map.of("pocketwatch", properties), source)
        .all(document -> read(document, own, more));
  }

  private static InvalidConfigurationException refuse(
      String source, String problem, Throwable cause) {
    return new InvalidConfigurationException(source, 0, "", problem, cause);
  }

  /** Allows the sections of other modules, which are not read here. */
  static void others(YamlNode top) {
    top.find("store");
    top.find("server");
  }

  /**
   * @param own reads the keys of other modules
   */
  private static <T> T read(
      YamlNode document, Consumer<YamlNode> own, BiFunction<DelayRoutes, YamlNode, T> more) {
    YamlNode top = document.find("pocketwatch");
    document.refuseOthers();
    if (top == null) {
      throw document.refuse("has no key 'pocketwatch'; write at least 'pocketwatch: {}'");
    }
    own.accept(top);
    return more.apply(routes(top), top);
  }

  private static DelayRoutes routes(YamlNode top) {
    HoldOptions hold = hold(top);
    DelayRoutes.Builder routes = DelayRoutes.builder().hold(hold);
    YamlNode schedules = top.find("schedules");
    routes.schedules(schedules == null ? null : schedules.alone());
    top.set("publisher", YamlRoutes::publisher, routes::publisher);
    top.set("loader", YamlRoutes::loader, routes::loader);
    DelayRoute defaults = top.read("defaults", YamlRoutes::defaults).orElse(DelayRoute.defaults());
    routes.defaults(defaults);
    top.read("routes", section -> routes(section, routes, defaults, hold));
    top.refuseOthers();
    DelayRoutes all = routes.build();
    if (!top.isRefused("routes")) {
      top.read("defaults", node -> requireUse(node, defaults, all.all().toList(), hold));
    }
    return all;
  }

  private static YamlNode routes(
      YamlNode section, DelayRoutes.Builder routes, DelayRoute defaults, HoldOptions hold) {
    return section.each(
        (name, node) -> {
          DelayRoute route = node.check(() -> route(name, node, defaults));
          node.check(() -> routes.route(route));
          requireUse(node, route, List.of(route), hold);
        });
  }

  /**
   * Refuses a key that would have no effect: its writer expects one.
   *
   * @param heirs the routes that inherit what is written here
   */
  private static YamlNode requireUse(
      YamlNode node, DelayRoute policy, List<DelayRoute> heirs, HoldOptions hold) {
    boolean delays = heirs.stream().anyMatch(each -> !each.delays().isEmpty());
    node.reportIf(
        policy.strategy() == DelayStrategy.TTL_QUEUE && !delays && !node.isRefused("delays"),
        "strategy",
        "TTL_QUEUE holds what is in 'delays', and that is empty");
    node.reportIf(
        policy.strategy() == DelayStrategy.TEMPORARY_QUEUE
            && hold.topology() != TopologyMode.DECLARE,
        "strategy",
        "TEMPORARY_QUEUE declares a queue for each message, which takes topology: declare");
    Duration resolution = policy.resolution();
    Duration ofWheel = hold.wheel().resolution();
    node.reportIf(
        resolution != null
            && !node.isWheelRefused()
            && resolution.toMillis() % ofWheel.toMillis() != 0,
        "resolution",
        "must be a multiple of wheel.resolution, which is " + DurationText.format(ofWheel));
    if (!node.isRefused("tracking")) {
      node.reportIf(
          policy.tracked() && !policy.delays().isEmpty(),
          "delays",
          "has no effect with tracking, whose messages take no TTL queue; leave it out");
      node.reportIf(
          heirs.stream().allMatch(each -> each.tracking() == Tracking.FULL),
          "resolution",
          "has no effect with tracking: full, whose messages are sent when they are due");
      node.reportIf(
          heirs.stream().noneMatch(each -> each.tracking() == Tracking.HANDOFF),
          "handoff-before",
          "has no effect without tracking: handoff");
    }
    return node;
  }

  /** A fault in the defaults is reported there, and not for each route that inherits it. */
  static void refuseTracked(DelayRoutes routes, YamlNode top) {
    top.read("defaults", node -> refuseTracked(routes.defaults(), node));
    top.read(
        "routes",
        section ->
            section.each(
                (name, node) ->
                    Optional.ofNullable(routes.named(name))
                        .ifPresent(route -> refuseTracked(route, node))));
  }

  private static YamlNode refuseTracked(DelayRoute route, YamlNode node) {
    node.reportIf(
        route.tracked() && !node.isRefused("tracking"),
        "tracking",
        "route '%s' has tracking: %s, which needs a store, and pocketwatch.store gives none"
            .formatted(route.name(), route.tracking().name().toLowerCase(Locale.ROOT)));
    return node;
  }

  private static DelayRoute defaults(YamlNode node) {
    return policy(node, DelayRoute.builder(DelayRoute.DEFAULTS));
  }

  private static DelayRoute route(String name, YamlNode node, DelayRoute defaults) {
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
    node.set("insert-limit", YamlNode::integer, route::insertLimit);
    node.refuseOthers();
    return route.build();
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

  /** Some readers of YAML take a bare {@code off} for a truth value. */
  private static NativeMode nativeMode(YamlNode node) {
    return node.isFalse() ? NativeMode.OFF : node.oneOf(NativeMode.values());
  }

  private static WheelOptions wheel(YamlNode node) {
    WheelOptions.Builder wheel = WheelOptions.builder();
    node.set("max-delay", YamlNode::delay, wheel::maxDelay);
    wheel.hands(hands(node)).queues(queues(node));
    node.refuseOthers();
    return wheel.build();
  }

  private static List<Duration> hands(YamlNode wheel) {
    Optional<Duration> finest = wheel.read("resolution", YamlNode::delay);
    List<Duration> hands =
        wheel
            .read("hands", YamlNode::delays)
            .orElseGet(
                () ->
                    finest.map(WheelOptions::naturalHands).orElse(WheelOptions.defaults().hands()));
    Duration last = hands.isEmpty() ? Duration.ZERO : hands.get(hands.size() - 1);
    wheel.reportIf(
        !hands.isEmpty() && !last.equals(finest.orElse(last)),
        "resolution",
        "is not the last of the hands, %s; make them agree or leave one of the two out"
            .formatted(DurationText.format(last)));
    return hands;
  }

  private static HoldQueues ttlQueues(YamlNode node) {
    HoldQueues queues = queues(node);
    node.refuseOthers();
    return queues;
  }

  private static TemporaryQueueOptions temporaryQueues(YamlNode node) {
    TemporaryQueueOptions.Builder options = TemporaryQueueOptions.builder();
    node.set("max", YamlNode::integer, options::max);
    node.set("grace", YamlNode::duration, options::grace);
    node.set("linger", YamlNode::duration, options::linger);
    options.queues(queues(node));
    node.refuseOthers();
    return options.build();
  }

  private static HoldQueues queues(YamlNode node) {
    boolean acceptLoss =
        node.read("accept-loss", YamlNode::bool).orElse(node.isRefused("accept-loss"));
    return node.read(
            "queue-type", word -> new HoldQueues(word.oneOf(HoldQueueType.values()), acceptLoss))
        .orElse(new HoldQueues(HoldQueueType.QUORUM, acceptLoss));
  }

  private static PublisherOptions publisher(YamlNode node) {
    PublisherOptions.Builder options = PublisherOptions.builder();
    node.set("channels", YamlNode::integer, options::channels);
    node.set("max-in-flight", YamlNode::integer, options::maxInFlight);
    node.set("confirm-timeout", YamlNode::duration, options::confirmTimeout);
    node.set("max-body-size", YamlNode::integer, options::maxBodySize);
    node.refuseOthers();
    return options.build();
  }

  private static LoaderOptions loader(YamlNode node) {
    LoaderOptions.Builder options = LoaderOptions.builder();
    node.set("at", YamlRoutes::timeOfDay, options::at);
    node.set("zone", YamlNode::zone, options::zone);
    node.set("every", YamlNode::duration, options::every);
    node.reportIf(
        node.find("at") != null, "every", "there are both 'at' and 'every'; leave one of them out");
    node.set("lead", YamlNode::duration, options::lead);
    node.set("sweep", YamlNode::duration, options::sweep);
    node.set("lease", YamlNode::duration, options::lease);
    node.set("batch", YamlNode::integer, options::batch);
    node.set("rate", YamlNode::integer, options::rate);
    node.set("grace", YamlNode::duration, options::grace);
    node.set("max-silence", YamlNode::duration, options::maxSilence);
    node.set("target-patience", YamlNode::duration, options::targetPatience);
    node.set("retention", YamlNode::duration, options::retention);
    node.refuseOthers();
    return options.build();
  }

  private static LocalTime timeOfDay(YamlNode node) {
    try {
      return LocalTime.parse(node.text());
    } catch (DateTimeException e) {
      throw node.refuse("'" + node.text() + "' is not a time of day; write for example \"00:00\"");
    }
  }

  /** A name as AMQP carries it. */
  private static String shortText(YamlNode node) {
    String text = node.text();
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_NAME_BYTES) {
      throw node.refuse("is %s bytes long; allowed: at most %s".formatted(bytes, MAX_NAME_BYTES));
    }
    return text;
  }
}
