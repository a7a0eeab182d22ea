// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** Evaluates the alerts that we ship, as Prometheus does, over what was scraped. */
final class Promtool {
  static final Path ALERTS = Path.of("../../docker/prometheus/alerts.yml").toAbsolutePath();

  private static final Pattern SAMPLE = Pattern.compile("^([a-zA-Z_:]\\w*)(\\{.*})? (\\S+)$");
  private static final Pattern NAME = Pattern.compile("\\b(?:pocketwatch|rabbitmq)_\\w+");
  private static final String NONE = "_";

  /** Of calm, before it becomes different: all that an alert looks back to is in it. */
  private static final int CALM = 300;

  /** Longer than any alert waits, and not so long that a first increase is out of sight. */
  private static final int TROUBLE = 48;

  private final Path folder;

  Promtool(Path folder) {
    this.folder = folder;
    if (Stream.of(System.getenv("PATH").split(":"))
        .noneMatch(each -> Files.isExecutable(Path.of(each, "promtool")))) {
      String loud =
          "NOT TESTED: the alerts need promtool on the PATH"
              + " (apt-get install --no-install-recommends prometheus)";
      System.err.println(loud);
      throw new TestAbortedException(loud);
    }
  }

  static Set<String> alerts() throws IOException {
    return Pattern.compile("- alert: (\\w+)")
        .matcher(Files.readString(ALERTS))
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The metrics that the alerts ask for. */
  static Set<String> metrics() throws IOException {
    String expressions =
        Files.readString(ALERTS).replaceAll("(?m)^ *#.*$", "").replaceAll("\\{\\{[^}]*}}", "");
    return NAME.matcher(expressions)
        .results()
        .map(found -> found.group())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Series and their values, of the metrics that alerts ask for.
   *
   * @param labels that Prometheus adds
   */
  static Map<String, String> samples(String scrape, String labels) throws IOException {
    Set<String> asked = metrics();
    Map<String, String> samples = new TreeMap<>();
    for (String line : scrape.split("\n")) {
      Matcher sample = SAMPLE.matcher(line);
      if (sample.matches() && asked.contains(sample.group(1))) {
        String own = sample.group(2) == null ? "" : sample.group(2).replaceAll("^\\{|}$", "");
        String all = own + (own.isEmpty() || own.endsWith(",") ? "" : ",") + labels;
        samples.put(sample.group(1) + "{" + all + "}", sample.group(3));
      }
    }
    return samples;
  }

  /**
   * Which alerts fire in the end.
   *
   * @param calm what was scraped for long, or nothing
   * @param then what is scraped since; of it a counter that has changed goes on growing
   */
  Set<String> firing(Map<String, String> calm, Map<String, String> then) throws Exception {
    Set<String> series = new TreeSet<>(calm.keySet());
    series.addAll(then.keySet());
    StringBuilder test = new StringBuilder();
    test.append("rule_files: ['").append(ALERTS).append("']\n");
    test.append("evaluation_interval: 15s\ntests:\n  - interval: 15s\n    input_series:\n");
    for (String each : series) {
      String before = calm.getOrDefault(each, NONE);
      String after = then.getOrDefault(each, NONE);
      test.append("      - series: '").append(each.replace("'", "''")).append("'\n");
      test.append("        values: '").append(constant(before, CALM)).append(' ');
      test.append(values(each, before, after)).append("'\n");
    }
    test.append("    promql_expr_test:\n");
    test.append("      - expr: 'sum by (alertname) (ALERTS{alertstate=\"firing\"})'\n");
    test.append("        eval_time: ").append((CALM + TROUBLE - 2) * 15).append("s\n");
    test.append("        exp_samples: [{labels: '{alertname=\"Unknown\"}', value: 1}]\n");
    Path file = Files.writeString(folder.resolve("alerts-test.yml"), test);
    Process run =
        new ProcessBuilder("promtool", "test", "rules", file.toString())
            .redirectErrorStream(true)
            .start();
    String out = new String(run.getInputStream().readAllBytes());
    run.waitFor();
    // It fails by intent, and shows what it got.
    int got = out.indexOf("got:");
    if (got < 0) {
      throw new AssertionError(out);
    }
    return Pattern.compile("alertname=\"(\\w+)\"")
        .matcher(out.substring(got))
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String values(String series, String before, String after) {
    boolean grows =
        series.matches("\\w+_total\\{.*") && !after.equals(NONE) && !after.equals(before);
    return grows
        ? String.format(Locale.ROOT, "%s+1x%s", after, TROUBLE - 1)
        : constant(after, TROUBLE);
  }

  private static String constant(String value, int times) {
    if (value.equals(NONE)) {
      return NONE + "x" + (times - 1);
    }
    return value.equals("NaN")
        ? String.join(" ", java.util.Collections.nCopies(times, value))
        : "%s+0x%s".formatted(new java.math.BigDecimal(value).toPlainString(), times - 1);
  }

  /** With another value in each series of a metric, which has to be there. */
  static Map<String, String> with(Map<String, String> samples, String metric, String value) {
    List<String> found =
        samples.keySet().stream().filter(each -> each.startsWith(metric + "{")).toList();
    if (found.isEmpty()) {
      throw new AssertionError("nobody exports " + metric + ": " + samples.keySet());
    }
    Map<String, String> changed = new TreeMap<>(samples);
    found.forEach(each -> changed.put(each, value));
    return changed;
  }
}
