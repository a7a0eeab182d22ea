// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.pocketwatch.server.Main;
import io.pocketwatch.server.http.ProblemType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The pages that are made from the code, so that no key, command, path or metric is forgotten. */
enum ReferencePages {
  CONFIGURATION("configuration.md") {
    @Override
    String text() throws IOException {
      return """
      # Configuration

      For whoever looks up a key. It is made from `config/pocketwatch.yml`, which has every key with its comment.

      Durations are a whole number and a unit, such as `10ms`, `15s`, `30m`, `2h` or `31d`, or ISO-8601. The value
      behind a key is the example or the default of that file. Spring reads the same keys:
      [properties](../guides/spring-settings.md#properties).
      """
              .stripIndent()
          + ConfigurationKeys.sections(Files.readString(ROOT.resolve("config/pocketwatch.yml")));
    }
  },

  COMMANDS("commands.md") {
    @Override
    String text() {
      return """
      # Commands

      For whoever looks up a command. It is made from the commands' own help: `./pocketwatch COMMAND --help`.

      Commands that need a broker take `--broker`, else the variable `POCKETWATCH_BROKER`, else the broker of
      `./pocketwatch broker start`. Commands that need a store take `store` in `config/pocketwatch.yml`; `--config`
      names another file. A source tree also has the commands of [the lab](../../lab/README.md).

      Exit codes: 0 done, 1 failed, 2 wrong usage or configuration (nothing was declared), 3 no broker.
      """
              .stripIndent()
          + commands();
    }

    private String commands() {
      Locale usual = Locale.getDefault();
      Locale.setDefault(Locale.ROOT); // picocli sorts options as the JVM's language does
      try {
        return new CommandsPage(Main.commandLine()).text();
      } finally {
        Locale.setDefault(usual);
      }
    }
  },

  REST("rest.md") {
    @Override
    String text() throws IOException {
      JsonNode api = new YAMLMapper().readTree(Files.readString(ROOT.resolve(OPENAPI)));
      StringBuilder page =
          new StringBuilder(
              """
              # REST

              For whoever looks up a path. It is made from the OpenAPI document, which a server shows at
              `/api/v1/openapi.yaml`.

              [HTTP](../guides/http.md) shows how to begin. Errors are [problem details](#problems).

              """);
      api.at("/paths")
          .properties()
          .forEach(
              path ->
                  path.getValue().properties().stream()
                      .filter(each -> !each.getKey().equals("parameters"))
                      .forEach(
                          each -> operation(each.getKey(), path.getKey(), each.getValue(), page)));
      page.append("\n## Changes\n\n");
      for (JsonNode tag : api.get("tags")) {
        if (tag.get("name").asText().equals("messages")) {
          page.append(tag.get("description").asText());
        }
      }
      page.append(
          """

          ## Problems

          Errors are problem details (RFC 9457). Their `type` is the address of one of these lines. Nothing was
          scheduled or changed, unless a line says otherwise.

          """
              .stripIndent());
      for (ProblemType type : ProblemType.values()) {
        page.append(
            "- <a id=\"%1$s\"></a>`%1$s` (%2$s): %3$s\n"
                .formatted(type.slug(), type.status(), meaning(api, type.slug())));
      }
      JsonNode message = api.at("/components/schemas/NewMessage");
      page.append("\n## A message\n\n").append(oneLine(message.get("description"))).append("\n");
      page.append("\n");
      message
          .get("properties")
          .properties()
          .forEach(
              field ->
                  page.append(
                      "- `%s` (%s): %s\n"
                          .formatted(
                              field.getKey(),
                              type(field.getValue()),
                              oneLine(field.getValue().path("description")))));
      return page.toString();
    }

    /** What the document says of this problem, in the list of one of its responses. */
    private String meaning(JsonNode api, String problem) {
      for (JsonNode response : api.at("/components/responses")) {
        for (String each : response.path("description").asText().split("(?m)^- ")) {
          if (each.startsWith("`" + problem + "`: ")) {
            return each.substring(problem.length() + 4).strip().replaceAll("\\s+", " ");
          }
        }
      }
      throw new IllegalStateException("nothing is said of " + problem);
    }

    private void operation(String method, String path, JsonNode operation, StringBuilder page) {
      page.append(
          "- `%s %s`: %s\n"
              .formatted(
                  method.toUpperCase(Locale.ROOT), path, operation.path("summary").asText()));
    }

    private String type(JsonNode field) {
      String other = field.path("$ref").asText().endsWith("/Duration") ? "duration" : "any JSON";
      return field.path("type").asText(other);
    }

    private String oneLine(JsonNode text) {
      return text.asText().strip().replaceAll("\\s+", " ");
    }
  },

  METRICS("metrics.md") {
    @Override
    String text() throws IOException {
      Map<String, String> rows = new TreeMap<>();
      try (Stream<Path> sources = Files.walk(ROOT.resolve("modules"))) {
        for (Path each :
            sources.filter(file -> file.toString().matches(".*/src/main/.*\\.java")).toList()) {
          String source = Files.readString(each);
          if (source.contains("io.micrometer") && !each.toString().contains("/lab/")) {
            METER.matcher(source).results().forEach(found -> rows.put(name(found), row(found)));
            STATE
                .matcher(source)
                .results()
                .forEach(
                    found ->
                        rows.put(
                            found.group(2),
                            "- `%s` (gauge by `route`): Rows whose state is %s\n"
                                .formatted(found.group(2).replace('.', '_'), found.group(1))));
            OF_SCHEDULE
                .matcher(source)
                .results()
                .forEach(
                    found ->
                        rows.put(
                            ofSchedule(found),
                            "- `%s` (%s by `schedule`): %s\n"
                                .formatted(ofSchedule(found), found.group(1), found.group(3))));
          }
        }
      }
      return """
      # Metrics

      For whoever looks up a metric. It is made from the definitions in the code.

      Names are those of Prometheus; Micrometer has dots for underscores, and no ending. [Monitor](../operate/monitor.md)
      says which to watch. Tags are configured names, never ids. Behind each name stand its kind and its tags.

      """
              .stripIndent()
          + String.join("", rows.values());
    }

    private String ofSchedule(MatchResult found) {
      String ending = found.group(1).equals("counter") ? "_total" : "";
      return "pocketwatch_schedule_"
          + found.group(2)
          + (found.group(2).equals("lag") ? "_seconds" : ending);
    }

    private String name(MatchResult found) {
      String kind = found.group(1);
      String name = found.group(2).replaceFirst("^pocketwatch\\.", "").replace('.', '_');
      boolean counter = kind.equals("count") || kind.startsWith("Counter");
      String ending = counter ? "_total" : seconds(found, kind) ? "_seconds" : "";
      return "pocketwatch_" + name + ending;
    }

    private boolean seconds(MatchResult found, String kind) {
      return kind.matches("(?i)time.*") || found.group(4).contains("baseUnit(\"seconds\")");
    }

    private String row(MatchResult found) {
      String kind = found.group(1).replaceFirst("\\.builder$", "").replace("count", "Counter");
      Set<String> tags = new LinkedHashSet<>();
      String call = found.group();
      if (call.contains("consumer(event)")) {
        tags.addAll(List.of("route", "consumer"));
      }
      Matcher tag = Pattern.compile("(?:of|and|tag)\\(\\s*\"(\\w+)\"").matcher(call);
      while (tag.find()) {
        tags.add(tag.group(1));
      }
      return "- `%s` (%s%s): %s\n"
          .formatted(
              name(found),
              kind.replace("TimeGauge", "Gauge").toLowerCase(Locale.ROOT),
              tags.stream().map(each -> "`" + each + "`").collect(by()),
              found.group(3));
    }

    private Collector<CharSequence, ?, String> by() {
      return Collectors.collectingAndThen(
          Collectors.joining(", "), tags -> tags.isEmpty() ? "" : " by " + tags);
    }
  };

  static final Path ROOT = Path.of("..", "..");
  private static final String OPENAPI =
      "modules/server/src/main/resources/io/pocketwatch/server/api/openapi.yaml";

  /** What kind, the name, the description, and what is said of the unit. */
  private static final Pattern METER =
      Pattern.compile(
          "\\b(count|timer|gauge|(?:Counter|Timer|Gauge|TimeGauge)\\.builder)"
              + "\\(\\s*(?:registry,\\s*)?(?:PREFIX \\+ )?\"([a-z][a-z.]+)\""
              + "[^\"]{0,120}?(?:\\.description\\()?\"([A-Z][^\"]+)\"\\)?"
              + "([^;]*?);",
          Pattern.DOTALL);

  /** Those of each schedule: kind, the end of the name, the description. */
  private static final Pattern OF_SCHEDULE =
      Pattern.compile("\\b(counter|gauge)\\(\\s*registry,\\s*name,\\s*\"(\\w+)\",\\s*\"([^\"]+)\"");

  private static final Pattern STATE =
      Pattern.compile("MessageState\\.(\\w+), \"(pocketwatch\\.[a-z.]+)\"");

  private final String file;

  ReferencePages(String file) {
    this.file = file;
  }

  abstract String text() throws IOException;

  Path page() {
    return ROOT.resolve("modules/docs/reference").resolve(file);
  }

  /** The annotated file as a list of its keys. */
  static final class ConfigurationKeys {
    private static final Pattern KEY =
        Pattern.compile("^( *)(?:# ( *))?([a-z][a-z0-9-]*):(?: +(\\S.*))?$");
    private static final Pattern WORD = Pattern.compile("^ *#( +)(.*)$");
    private static final Set<String> NAMES =
        Set.of("routes", "credentials", "callbacks", "schedules");
    private static final Pattern OPTION =
        Pattern.compile("^(?: {2}(?=\\S+ )|(?=\\S+ {2}))(\\S+) +(\\S.*)$");

    private final Map<String, List<String>> sections = new LinkedHashMap<>();
    private final Set<String> seen = new LinkedHashSet<>();
    private final List<String> comment = new ArrayList<>();
    private final List<String> parents = new ArrayList<>();

    static String sections(String yaml) {
      ConfigurationKeys keys = new ConfigurationKeys();
      yaml.lines().forEach(keys::line);
      return keys.sections.entrySet().stream()
          .map(each -> "\n## " + each.getKey() + "\n\n" + String.join("", each.getValue()))
          .collect(Collectors.joining());
    }

    private void line(String line) {
      Matcher key = KEY.matcher(line);
      Matcher word = WORD.matcher(line.replaceFirst("^( *#) {2,}#", "$1"));
      if (key.matches()) {
        String name = key.group(3);
        int depth =
            (key.group(1).length() + (key.group(2) == null ? 0 : key.group(2).length())) / 2;
        key(name, depth, key.group(4));
      } else if (word.matches()) {
        comment.add(" ".repeat(word.group(1).length() - 1) + word.group(2));
      } else {
        comment.clear();
      }
    }

    private void key(String name, int depth, String value) {
      while (parents.size() > depth) {
        parents.remove(parents.size() - 1);
      }
      boolean named = depth > 1 && NAMES.contains(parents.get(depth - 1));
      String path = String.join(".", parents);
      parents.add(named ? "NAME" : name);
      String text = text();
      comment.clear();
      if (depth == 0 || named || !seen.add(path + "." + name)) {
        return;
      }
      boolean section = value == null;
      String heading = section ? String.join(".", parents) : path;
      List<String> rows = sections.computeIfAbsent(heading, any -> new ArrayList<>());
      String entry = "`" + name + (section ? "" : ": " + value) + "`";
      if (section) {
        rows.add(text.isEmpty() ? "" : text.replaceAll("(?m)^  ", "") + "\n");
      } else if (text.isEmpty() && !rows.isEmpty() && rows.get(rows.size() - 1).startsWith("- ")) {
        // One comment for several keys: they stand before it.
        rows.add(
            rows.remove(rows.size() - 1)
                .replaceFirst("\n", Matcher.quoteReplacement(", " + entry + "\n")));
      } else {
        rows.add("- " + entry + "\n" + text);
      }
    }

    /** Running text, and an item for each word that the comment explains. */
    private String text() {
      StringBuilder all = new StringBuilder();
      List<String> running = new ArrayList<>();
      for (String each : comment) {
        Matcher option = OPTION.matcher(each);
        if (option.matches()) {
          flush(running, all);
          running.add("- `" + option.group(1) + "`: " + option.group(2));
        } else {
          if (!each.startsWith("  ") && !running.isEmpty() && running.get(0).startsWith("- `")) {
            flush(running, all);
          }
          running.add(each.strip());
        }
      }
      flush(running, all);
      return all.toString();
    }

    private static void flush(List<String> running, StringBuilder all) {
      if (!running.isEmpty()) {
        if (all.indexOf("- `") >= 0 && !running.get(0).startsWith("- `")) {
          all.append("\n");
        }
        all.append("  ").append(String.join(" ", running)).append("\n");
        running.clear();
      }
    }
  }
}
