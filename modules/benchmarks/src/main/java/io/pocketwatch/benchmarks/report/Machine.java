// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The machine under the figures, without anything that tells whose it is. */
public final class Machine {
  private static final double BYTES_PER_GIB = 1 << 30;

  private Machine() {}

  /** Processor, memory, system and Java; to be added to: the servers. */
  public static Map<String, Object> describe() {
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put(
        "cpu",
        valueIn(Path.of("/proc/cpuinfo"), "model name", ":").orElse(System.getProperty("os.arch")));
    machine.put("cores", Runtime.getRuntime().availableProcessors());
    machine.put("memoryGib", memoryGib());
    machine.put("system", system());
    machine.put(
        "java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    return machine;
  }

  private static double memoryGib() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean bean
        ? Math.round(bean.getTotalMemorySize() / BYTES_PER_GIB * 10) / 10.0
        : 0;
  }

  private static String system() {
    String kernel = System.getProperty("os.name") + " " + System.getProperty("os.version");
    return valueIn(Path.of("/etc/os-release"), "PRETTY_NAME", "=")
        .map(name -> name.replace("\"", "") + ", " + kernel)
        .orElse(kernel);
  }

  private static Optional<String> valueIn(Path file, String key, String separator) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(key) && line.contains(separator))
          .map(line -> line.substring(line.indexOf(separator) + 1).strip())
          .findFirst();
    } catch (IOException e) {
      return Optional.empty(); // not Linux
    }
  }
}
