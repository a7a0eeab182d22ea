// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.internal.base.ThisProcess;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the section {@code schedules} of a configuration into the store. */
final class ConfiguredSchedules {
  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final int NAMED = 20;

  /** All servers on one store share one configuration. */
  private static final String OWNER = "serve";

  private ConfiguredSchedules() {}

  /**
   * Makes the schedules from YAML those of the engine. A configuration without the section says
   * nothing of them, as one that somebody else owns; one that has lost it says that there are none.
   *
   * @param owned whether the configuration before had the section
   * @throws io.pocketwatch.schedule.ScheduleException if one can never fire; nothing has changed
   */
  static void apply(Engine engine, boolean owned) {
    if (engine.ownsSchedules() || owned) {
      engine.schedules().apply(OWNER, engine.configured(), actor());
      return;
    }
    List<String> others =
        engine.schedules().list().stream()
            .map(each -> each.stored())
            .filter(each -> OWNER.equals(each.owner()) && !each.orphaned())
            .map(StoredSchedule::name)
            .toList();
    if (!others.isEmpty()) {
      LOG.warn(
          "Schedules of an earlier configuration go on: {}; write 'schedules: {}' to pause them",
          words(others.stream(), others.size()),
          "{}");
    }
  }

  private static String actor() {
    return "yaml:" + ThisProcess.name();
  }

  static String describe(Engine engine) {
    List<Schedule> all = engine.configured();
    return all.isEmpty()
        ? "Schedules: none in YAML"
        : "Schedules (%d): %s"
            .formatted(all.size(), words(all.stream().map(Schedule::name), all.size()));
  }

  private static String words(Stream<String> names, int count) {
    return names.limit(NAMED).collect(Collectors.joining(", ")) + (count > NAMED ? ", ..." : "");
  }
}
