// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Where the results of suites go: JSON, histogram logs, plots. */
public final class ResultFolder {
  private final Path folder;

  private ResultFolder(Path folder) {
    this.folder = folder;
  }

  /** The folder at that path, made when something is written. */
  public static ResultFolder at(Path folder) {
    return new ResultFolder(folder);
  }

  /**
   * Writes what a suite found, over what an earlier run left under the same names.
   *
   * @param latenessByLabel microseconds, by {@link Labels#of(String, Map)}; may lack subjects
   * @return the files, plots last; without plots where this Java cannot draw text
   */
  public List<Path> write(Results results, Map<String, Histogram> latenessByLabel)
      throws IOException {
    Files.createDirectories(folder);
    List<Path> files = new ArrayList<>();
    files.add(Files.writeString(folder.resolve(results.suite() + ".json"), ResultJson.of(results)));
    if (!latenessByLabel.isEmpty()) {
      Path log = folder.resolve(results.suite() + "-lateness.hlog");
      LatenessLog.write(log, latenessByLabel);
      files.add(log);
    }
    files.addAll(Plots.write(folder, results, latenessByLabel));
    return List.copyOf(files);
  }
}
