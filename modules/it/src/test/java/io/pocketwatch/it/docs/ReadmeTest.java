// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * README.md, and the pages that show more of the same, show only what is compiled or parsed. The
 * YAML of a Spring application is read by the sample.
 */
class ReadmeTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final Path HERE = Path.of("src/test/java/io/pocketwatch/it/docs");

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "modules/docs/guides/java.md", "modules/docs/guides/database.md"})
  @DisplayName("every Java snippet is compiled, word for word")
  void javaIsCompiled(String page) throws IOException {
    List<String> snippets = blocks(page, "java");
    String compiled =
        withoutLayout(
            Files.readString(HERE.resolve("ReadmeSnippets.java"))
                + Files.readString(HERE.resolve("StoreSnippets.java"))
                + Files.readString(HERE.resolve("SpringSnippets.java")));

    assertThat(snippets)
        .isNotEmpty()
        .allSatisfy(each -> assertThat(compiled).contains(withoutLayout(each)));
  }

  @Test
  @DisplayName("the YAML is a valid configuration with the defaults it claims")
  void yamlIsValid() throws IOException {
    List<String> yaml = blocks("yaml");
    assertThat(yaml).hasSize(2);

    DelayRoutes routes = DelayRoutes.parse(yaml.get(1), "README.md");

    assertThat(routes.hold()).usingRecursiveComparison().isEqualTo(DelayRoutes.none().hold());
    assertThat(routes.publisher())
        .usingRecursiveComparison()
        .isEqualTo(DelayRoutes.none().publisher());
    assertThat(routes.loader()).usingRecursiveComparison().isEqualTo(DelayRoutes.none().loader());
    assertThat(routes.named("order-timeout")).isNotNull();
  }

  @Test
  @DisplayName("the dependency it shows has the version that is built")
  void theVersionIsBuilt() throws IOException {
    Matcher shown = Pattern.compile("<version>.*?</version>").matcher(blocks("xml").get(0));

    assertThat(shown.find()).isTrue();
    assertThat(Files.readString(ROOT.resolve("pom.xml"))).contains(shown.group());
  }

  @Test
  @DisplayName("the broker settings it gives are those all is tested with")
  void brokerSettingsAreTheTestedOnes() throws IOException {
    String settings = LocalBrokerOptions.TUNED_ADVANCED_CONFIG.strip();
    assertThat(text("README.md")).contains("`" + settings + "`");
    assertThat(text("modules/docs/operate/install.md")).contains("\n" + settings + "\n");
  }

  private static String text(String page) throws IOException {
    return Files.readString(ROOT.resolve(page));
  }

  private static List<String> blocks(String language) throws IOException {
    return blocks("README.md", language);
  }

  private static List<String> blocks(String page, String language) throws IOException {
    Pattern block = Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```");
    return block.matcher(text(page)).results().map(found -> found.group(1)).toList();
  }

  /** Formatters break and indent lines at other places than a README does. */
  private static String withoutLayout(String code) {
    return code.replaceAll("\\s+", "");
  }
}
