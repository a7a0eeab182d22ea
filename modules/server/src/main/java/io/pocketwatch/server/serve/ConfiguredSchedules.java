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

  private ConfiguredSchedules() {}

  /**
   * Applies the schedules of a configuration to the store. A configuration that never had the
   * section leaves schedules alone, as another may own them; one that has lost it has none.
   *
   * @param owner the name of the configuration: servers of one name share one
   * @param owned whether the configuration before had the section
   * @throws io.pocketwatch.schedule.ScheduleException if one can never fire; nothing has changed
   */
  static void apply(Engine engine, String owner, boolean owned) {
    if (engine.ownsSchedules() || owned) {
      engine.schedules().apply(owner, engine.configured(), actor());
      return;
    }
    List<String> others =
        engine.schedules().list().stream()
            .map(each -> each.stored())
            .filter(each -> owner.equals(each.owner()) && !each.orphaned())
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
        : "Schedules (%s): %s"
            .formatted(all.size(), words(all.stream().map(Schedule::name), all.size()));
  }

  private static String words(Stream<String> names, int count) {
    return names.limit(NAMED).collect(Collectors.joining(", ")) + (count > NAMED ? ", ..." : "");
  }
}
