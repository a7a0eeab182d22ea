// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.boot.PocketwatchProperties.Connect;
import io.pocketwatch.boot.PocketwatchProperties.InitializeSchema;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.YamlNode;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.GuardOptions.OnStoreFailure;
import io.pocketwatch.schedule.Schedules;
import java.util.Map;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The properties below {@code pocketwatch}, read and checked as {@code config/pocketwatch.yml} is.
 *
 * @param routes the routes, and how messages are held, published and loaded
 * @param guard how listeners are guarded
 */
public record CheckedProperties(DelayRoutes routes, GuardOptions guard) {
  private static final boolean SCHEDULES =
      ClassUtils.isPresent(
          "io.pocketwatch.schedule.Schedules", CheckedProperties.class.getClassLoader());

  /**
   * Reads the properties.
   *
   * @throws io.pocketwatch.config.InvalidConfigurationException with a line for each fault, which
   *     names the key, what is allowed, and where it is written
   */
  public static CheckedProperties of(Environment environment) {
    return of(environment, true);
  }

  /**
   * @param ownStore whether the application may have a store that the properties do not make
   */
  static CheckedProperties of(Environment environment, boolean ownStore) {
    Map<String, Object> keys = PropertyTree.of(environment);
    GuardOptions.Builder guard = GuardOptions.builder();
    return DelayRoutes.of(
        keys,
        "application properties",
        top -> {
          own(top, guard);
          sameNames(environment, top, "routes");
          sameNames(environment, top, "schedules");
        },
        (routes, top) -> {
          if (!ownStore && !hasStore(top)) {
            routes.refuseTracked(top);
          }
          if (SCHEDULES) {
            Recurring.read(top, routes);
          }
          return new CheckedProperties(
              routes, guard.namePrefix(routes.hold().namePrefix()).build());
        });
  }

  /** Reads the keys that only an application has. */
  private static void own(YamlNode top, GuardOptions.Builder guard) {
    top.read("enabled", YamlNode::bool);
    top.read("connect", word -> word.oneOf(Connect.values()));
    top.read("schedules-runner", CheckedProperties::enabled);
    top.read("loader", loader -> loader.read("enabled", YamlNode::bool));
    top.read("guard", node -> guard(guard, node));
    top.read("store", CheckedProperties::store);
  }

  /** Whether the properties make a store, or tried to. */
  private static boolean hasStore(YamlNode top) {
    return top.isRefused("store")
        || top.read("store", store -> store.read("enabled", YamlNode::bool).orElse(false))
            .orElse(false);
  }

  private static YamlNode enabled(YamlNode node) {
    node.read("enabled", YamlNode::bool);
    node.refuseOthers();
    return node;
  }

  private static YamlNode store(YamlNode node) {
    node.read("enabled", YamlNode::bool);
    node.read("initialize-schema", word -> word.oneOf(InitializeSchema.values()));
    node.read("table-prefix", YamlNode::filledText);
    node.refuseOthers();
    return node;
  }

  private static YamlNode guard(GuardOptions.Builder options, YamlNode node) {
    node.set("handling-lease", YamlNode::duration, options::handlingLease);
    node.set("early-tolerance", YamlNode::duration, options::earlyTolerance);
    node.set(
        "on-store-failure", word -> word.oneOf(OnStoreFailure.values()), options::onStoreFailure);
    node.set("store-patience", YamlNode::duration, options::storePatience);
    node.refuseOthers();
    return node;
  }

  private static void sameNames(Environment environment, YamlNode top, String section) {
    PropertyTree.sameNames(environment, section)
        .forEach(problem -> top.reportIf(true, section, problem));
  }

  /** Separate, since {@code Schedules} may be missing from the class path. */
  private static final class Recurring {
    static void read(YamlNode top, DelayRoutes routes) {
      top.read("schedules", section -> Schedules.read(section, routes));
    }
  }
}
