// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import java.util.List;
import java.util.stream.Stream;

/** All faults there are. */
public final class Catalogue {
  public static final List<Fault> ALL =
      Stream.of(
              BrokerFaults.all(),
              NetworkFaults.all(),
              ProcessFaults.all(),
              AlarmFaults.all(),
              TargetFaults.all(),
              PolicyFaults.all(),
              ClusterFaults.all(),
              ClockFaults.all())
          .flatMap(List::stream)
          .toList();

  /** Those that leave every process running whose memory is watched. */
  public static final List<Fault> MILD =
      Stream.of(
              "network-cut",
              "network-stalled",
              "database-killed",
              "loader-twice",
              "memory-alarm",
              "disk-alarm")
          .map(Catalogue::named)
          .toList();

  private Catalogue() {}

  /**
   * The one with that name.
   *
   * @throws IllegalArgumentException naming what there is
   */
  public static Fault named(String name) {
    return ALL.stream()
        .filter(fault -> fault.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'%s' is no fault; --list names them".formatted(name)));
  }
}
