// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** What a process and its children take from the machine. */
public final class ProcessUse {
  private ProcessUse() {}

  /**
   * Memory in bytes, pages that processes share counted once; 0 where the system does not tell
   * (Linux does).
   */
  public static long residentBytes(ProcessHandle process) {
    return tree(process).mapToLong(each -> proportionalKilobytes(each.pid()) * 1_024).sum();
  }

  /** Processor time of those that live. */
  public static Duration cpuTime(ProcessHandle process) {
    return tree(process)
        .flatMap(each -> each.info().totalCpuDuration().stream())
        .reduce(Duration.ZERO, Duration::plus);
  }

  private static Stream<ProcessHandle> tree(ProcessHandle process) {
    return Stream.concat(Stream.of(process), process.descendants());
  }

  private static long proportionalKilobytes(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
      return lines
          .filter(line -> line.startsWith("Pss:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .sum();
    } catch (IOException e) {
      return 0; // it has ended, or this is not Linux
    }
  }
}
