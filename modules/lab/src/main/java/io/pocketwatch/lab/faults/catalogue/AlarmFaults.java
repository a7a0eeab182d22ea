// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import java.time.Duration;
import java.util.List;

/** Alarms, by which a broker blocks whoever publishes. */
final class AlarmFaults {
  private static final Duration ALARM = Duration.ofSeconds(10);
  private static final String USUAL_WATERMARK = "0.6";
  private static final String USUAL_DISK_LIMIT = "50MB";

  private AlarmFaults() {}

  static List<Fault> all() {
    return List.of(
        Fault.onNode(
            "memory-alarm",
            "the broker is out of memory for 10 s and blocks publishers",
            world -> {
              world.node().ctl("set_vm_memory_high_watermark", "absolute", "1");
              try {
                world.last(ALARM);
              } finally {
                world.node().ctl("set_vm_memory_high_watermark", USUAL_WATERMARK);
              }
            }),
        Fault.onNode(
            "disk-alarm",
            "the broker is out of disk space for 10 s and blocks publishers",
            world -> {
              world.node().ctl("set_disk_free_limit", "900000GB");
              try {
                world.last(ALARM);
              } finally {
                world.node().ctl("set_disk_free_limit", USUAL_DISK_LIMIT);
              }
            }));
  }
}
