// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.OnStoreFailure;
import io.pocketwatch.route.DelayRoutes;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an application: the keys of {@code config/pocketwatch.yml}, and those that
 * only an application has.
 *
 * @param routes routes and options
 * @param store whether and where messages are stored
 * @param guard how listeners of delayed messages are guarded
 * @param load whether this process loads what is stored; some process must
 * @param connectAtStart whether the publisher connects, and declares its topology, before anybody
 *     needs it
 */
public record PocketwatchSettings(
    DelayRoutes routes,
    StoreSettings store,
    GuardOptions guard,
    boolean load,
    boolean connectAtStart) {
  private static final String SOURCE = "application properties";
  private static final String LOADER = "loader";
  private static final String ENABLED = "enabled";
  private static final String CONNECT = "connect";

  private static final Set<String> GUARD_KEYS =
      Set.of("handling-lease", "early-tolerance", "on-store-failure", "store-patience");

  /**
   * Reads what lies below {@code pocketwatch}: nested maps and lists, values as texts or typed.
   *
   * @throws io.pocketwatch.route.InvalidConfigurationException naming the key and what is allowed
   * @throws IllegalArgumentException as above, for the keys that only an application has
   */
  public static PocketwatchSettings of(Map<String, ?> properties) {
    Map<String, Object> rest = new LinkedHashMap<>(properties);
    Map<String, Object> store = section(rest, "store");
    Map<String, Object> guard = section(rest, "guard");
    Map<String, Object> loader = section(rest, LOADER);
    boolean load = Sections.truth(LOADER, loader, ENABLED, true);
    loader.remove(ENABLED);
    if (!loader.isEmpty()) {
      rest.put(LOADER, loader);
    }
    rest.remove(ENABLED);
    boolean connectAtStart = atStart(rest.remove(CONNECT));
    DelayRoutes routes = DelayRoutes.of(rest, SOURCE);
    return new PocketwatchSettings(
        routes, StoreSettings.of(store), guard(guard, routes), load, connectAtStart);
  }

  private static boolean atStart(@Nullable Object connect) {
    return switch (connect == null ? "on-demand" : connect.toString()) {
      case "on-demand" -> false;
      case "at-start" -> true;
      default ->
          throw new IllegalArgumentException(
              "pocketwatch.connect: '%s'; allowed: on-demand, at-start".formatted(connect));
    };
  }

  private static Map<String, Object> section(Map<String, Object> rest, String name) {
    Object section = rest.remove(name);
    if (section == null) {
      return new LinkedHashMap<>();
    }
    if (!(section instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException(
          "pocketwatch.%s: '%s'; allowed: a mapping".formatted(name, section));
    }
    return PropertyMaps.named(map);
  }

  private static GuardOptions guard(Map<String, Object> section, DelayRoutes routes) {
    String name = "guard";
    Sections.allow(name, section, GUARD_KEYS);
    GuardOptions usual = GuardOptions.defaults().withNamePrefix(routes.hold().namePrefix());
    String word =
        Sections.text(section, "on-store-failure", OnStoreFailure.WAIT.name())
            .toUpperCase(Locale.ROOT);
    if (!word.equals("WAIT") && !word.equals("DELIVER")) {
      throw Sections.refuse(name, "on-store-failure", "'" + word + "'; allowed: wait, deliver");
    }
    return usual
        .withOnStoreFailure(OnStoreFailure.valueOf(word))
        .withHandlingLease(
            Sections.duration(name, section, "handling-lease", usual.handlingLease()))
        .withEarlyTolerance(
            Sections.duration(name, section, "early-tolerance", usual.earlyTolerance()))
        .withStorePatience(
            Sections.duration(name, section, "store-patience", usual.storePatience()));
  }
}
