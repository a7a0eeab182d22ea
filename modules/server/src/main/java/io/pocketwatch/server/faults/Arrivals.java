// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What consumers saw of each message, in a file: it outlives a killed consumer, because each line
 * is with the operating system before the next step.
 */
final class Arrivals implements AutoCloseable {
  /** What happened to a copy. */
  enum Step {
    /** Went to the handler. */
    DELIVERED,
    /** Its work was done before. */
    SKIPPED,
    /** Put back on hold. */
    HELD_AGAIN,
    /** The store does not know it. */
    UNKNOWN,
    /** The store let it through, and only the unique key stopped a second effect. */
    SECOND_EFFECT
  }

  private final FileChannel file;

  private Arrivals(FileChannel file) {
    this.file = file;
  }

  static Arrivals appendTo(Path file) throws IOException {
    return new Arrivals(
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  synchronized void note(Step step, String id) {
    try {
      file.write(ByteBuffer.wrap((step + " " + id + "\n").getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /**
   * What all consumers of a round saw.
   *
   * @param steps how often each
   * @param again arrivals of messages that had gone to the handler or were skipped before
   */
  record Summary(Map<Step, Integer> steps, int again) {
    int of(Step step) {
      return steps.getOrDefault(step, 0);
    }
  }

  static Summary read(Path file) throws IOException {
    Map<Step, Integer> steps = new EnumMap<>(Step.class);
    Set<String> seen = new HashSet<>();
    int again = 0;
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        String[] parts = line.split(" ", 2);
        Step step = Step.valueOf(parts[0]);
        steps.merge(step, 1, Integer::sum);
        if ((step == Step.DELIVERED || step == Step.SKIPPED) && !seen.add(parts[1])) {
          again++;
        }
      }
    }
    return new Summary(new HashMap<>(steps), again);
  }
}
