// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.server.Main;
import io.pocketwatch.server.config.ConfigurationFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * README.md and the manual show only what is compiled, parsed or there. The YAML of a Spring
 * application is read by the sample, or by the starter's tests.
 */
class ReadmeTest {
  private static final Path README = Path.of("README.md");
  private static final Path DOCS = Path.of("modules/docs");
  private static final Path TESTS = Path.of("modules/it/src/test/java/io/pocketwatch/it/docs");

  private static final Path SAMPLE =
      Path.of("modules/sample-order-timeout/src/test/java/io/pocketwatch/sample");

  /** The Java that is compiled, and run by the tests beside it. */
  private static final List<Path> COMPILED =
      List.of(
          TESTS.resolve("ReadmeSnippets.java"),
          TESTS.resolve("StoreSnippets.java"),
          TESTS.resolve("SpringSnippets.java"),
          TESTS.resolve("RecipeSnippets.java"),
          TESTS.resolve("FromSchedulersSnippets.java"),
          TESTS.resolve("Quickstart.java"),
          TESTS.resolveSibling("FromTtlQueuesIT.java"),
          SAMPLE.resolve("quickstart/Quickstart.java"),
          SAMPLE.resolve("orders/OrderShopIT.java"),
          SAMPLE.resolve("orders/TimeoutsTest.java"),
          Path.of("modules/test/src/test/java/io/pocketwatch/test/ReminderIT.java"),
          Path.of(
              "modules/spring-boot-starter/src/test/java/io/pocketwatch/boot/StreamGuideIT.java"),
          Path.of(
              "modules/spring/src/test/java/io/pocketwatch/spring/docs/MigrationSnippets.java"));

  private static final Set<Path> OF_SPRING =
      Set.of(
          DOCS.resolve("guides/spring.md"),
          DOCS.resolve("guides/spring-cloud-stream.md"),
          DOCS.resolve("zh/spring.md"),
          DOCS.resolve("guides/from-the-plugin.md"));

  static List<Path> pages() throws IOException {
    return Pages.manual();
  }

  @ParameterizedTest
  @MethodSource("pages")
  @DisplayName("every Java snippet is compiled, word for word")
  void java_is_compiled(Path page) throws IOException {
    StringBuilder compiled = new StringBuilder();
    for (Path each : COMPILED) {
      compiled.append(withoutLayout(Pages.text(each)));
    }
    assertThat(Pages.blocks(page, "java"))
        .allSatisfy(each -> assertThat(compiled).contains(withoutLayout(each)));
  }

  @ParameterizedTest
  @MethodSource("pages")
  @DisplayName("every YAML is a valid configuration")
  void yaml_is_valid(Path page, @TempDir Path folder) throws IOException {
    if (!OF_SPRING.contains(page)) {
      for (String yaml : Pages.blocks(page, "yaml")) {
        Path file = Files.writeString(folder.resolve("pocketwatch.yml"), yaml);
        assertThat(ConfigurationFile.loadAll(file, false)).isNotNull();
      }
    }
  }

  @Test
  @DisplayName("the YAML of the Java guide has the defaults it claims")
  void yaml_has_the_defaults() throws IOException {
    String yaml = Pages.blocks(DOCS.resolve("guides/java.md"), "yaml").get(0);

    DelayRoutes routes = DelayRoutes.parse(yaml, "java.md");

    assertThat(routes.hold()).usingRecursiveComparison().isEqualTo(DelayRoutes.none().hold());
    assertThat(routes.publisher())
        .usingRecursiveComparison()
        .isEqualTo(DelayRoutes.none().publisher());
    assertThat(routes.loader()).usingRecursiveComparison().isEqualTo(DelayRoutes.none().loader());
    assertThat(routes.named("order-timeout")).isNotNull();
  }

  @ParameterizedTest
  @MethodSource("pages")
  @DisplayName("the dependencies it shows have the version that is built")
  void the_version_is_built(Path page) throws IOException {
    String built = Files.readString(Pages.ROOT.resolve("pom.xml"));
    Pattern ours =
        Pattern.compile("(?s)<groupId>io\\.pocketwatch</groupId>.*?(<version>.*?</version>)");
    assertThat(Pages.blocks(page, "xml"))
        .allSatisfy(
            each ->
                assertThat(ours.matcher(each).results().map(found -> found.group(1)))
                    .isNotEmpty()
                    .allMatch(built::contains));
    assertThat(
            Pattern.compile("io\\.pocketwatch:[a-z0-9-]+:([^\")]+)")
                .matcher(Pages.text(page))
                .results())
        .allMatch(found -> built.contains("<version>" + found.group(1) + "</version>"));
  }

  @ParameterizedTest
  @MethodSource("pages")
  @DisplayName("every command it names is there")
  void commands_are_there(Path page) throws IOException {
    Set<String> commands = new HashSet<>(Main.commandLine().getSubcommands().keySet());
    Pattern.compile("(?m)^## (\\S+)$") // of the lab; its own test asks that they are there
        .matcher(Pages.text(Path.of("modules/lab/README.md")))
        .results()
        .forEach(heading -> commands.add(heading.group(1)));
    assertThat(
            Pattern.compile("\\./pocketwatch ([a-z]+[a-z-]*)").matcher(Pages.text(page)).results())
        .allSatisfy(found -> assertThat(commands).contains(found.group(1)));
  }

  @Test
  @DisplayName("the broker settings it gives are those all is tested with")
  void broker_settings_are_the_tested_ones() throws IOException {
    String settings = LocalBrokerOptions.TUNED_ADVANCED_CONFIG.strip();
    assertThat(Pages.text(DOCS.resolve("operate/install.md")))
        .contains("`" + settings + "`")
        .contains("\n" + settings + "\n");
  }

  @Test
  @DisplayName("README.md is short")
  void readme_is_short() throws IOException {
    assertThat(Pages.text(README).strip().split("\\s+")).hasSizeLessThanOrEqualTo(1_000);
  }

  @ParameterizedTest
  @MethodSource("pages")
  @DisplayName("a page names its reader first")
  void names_its_reader(Path page) throws IOException {
    if (!page.equals(README)) {
      assertThat(Pages.text(page)).containsPattern("\\A# .+\n\n(For |写给).+");
    }
  }

  @Test
  @DisplayName("every example of one file has its link among the recipes")
  void every_example_is_linked() throws IOException {
    String recipes = Pages.text(DOCS.resolve("recipes.md"));
    try (Stream<Path> files = Files.list(Pages.ROOT.resolve(DOCS.resolve("examples")))) {
      assertThat(files)
          .hasSizeGreaterThan(7)
          .allMatch(file -> recipes.contains("(examples/" + file.getFileName() + ")"));
    }
  }

  @Test
  @DisplayName("the Chinese pages show the same code")
  void chinese_shows_the_same_code() throws IOException {
    for (String language : new String[] {"sh", "java", "xml", "yaml"}) {
      for (String page : new String[] {"quickstart.md", "recipes.md"}) {
        assertThat(Pages.blocks(DOCS.resolve("zh/" + page), language))
            .isEqualTo(Pages.blocks(DOCS.resolve(page), language));
      }
      for (String page : new String[] {"guides/spring.md", "operate/install.md"}) {
        assertThat(Pages.blocks(DOCS.resolve(page), language))
            .containsAll(
                Pages.blocks(DOCS.resolve("zh").resolve(Path.of(page).getFileName()), language));
      }
    }
    assertThat(Pages.blocks(DOCS.resolve("zh/readme.md"), "java"))
        .isEqualTo(Pages.blocks(README, "java"));
  }

  /** Formatters break and indent lines at other places than a page does. */
  private static String withoutLayout(String code) {
    return code.replaceAll("\\s+", "");
  }
}
