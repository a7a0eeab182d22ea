// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ConsoleFilesTest {
  private static final Pattern FOREIGN = Pattern.compile("(?i)(https?:)?//[a-z0-9-]+(\\.[a-z]+)");
  private static final Pattern INLINE =
      Pattern.compile("(?i)<script(?![^>]*\\bsrc=)|\\son[a-z]+=\"|\\sstyle=|<style|javascript:");
  private static final Pattern TEXT_BECOMES_HTML =
      Pattern.compile("innerHTML|outerHTML|insertAdjacentHTML|document\\.write|\\beval\\b");

  private final ConsoleFiles files = new ConsoleFiles();

  @Test
  void nothing_comes_from_another_host() {
    assertThat(PageFiles.all())
        .hasSizeGreaterThan(20)
        .allSatisfy(
            (name, text) ->
                assertThat(text.replace("http://www.w3.org/2000/svg", ""))
                    .as(name)
                    .doesNotContainPattern(FOREIGN));
  }

  @Test
  void nothing_is_inline_and_no_text_becomes_html() {
    assertThat(PageFiles.all())
        .allSatisfy(
            (name, text) -> {
              if (name.endsWith(".html")) {
                assertThat(text).as(name).doesNotContainPattern(INLINE);
              }
              assertThat(text).as(name).doesNotContainPattern(TEXT_BECOMES_HTML);
            });
  }

  @Test
  void every_file_is_served_as_what_it_is() {
    PageFiles.all()
        .forEach(
            (name, text) ->
                assertThat(files.find(name))
                    .as(name)
                    .hasValueSatisfying(file -> assertThat(text(file)).isEqualTo(text)));
    assertThat(files.find("js/main.js").orElseThrow().type()).startsWith("text/javascript");
    assertThat(text(files.find("lib/chart.js").orElseThrow())).contains("Chart.js v4");
  }

  private static String text(ConsoleFile file) {
    return new String(file.content(), StandardCharsets.UTF_8);
  }

  @Test
  void nothing_else_is_served() {
    for (String name :
        new String[] {
          "",
          "js",
          "js/",
          "../api/openapi.yaml",
          "js/../index.html",
          "Console.class",
          "/index.html",
          "lib/none.js",
          "lang/de.json",
          "js/main.js/",
          "META-INF/MANIFEST.MF",
          "index.html\n"
        }) {
      assertThat(files.find(name)).as(name).isEmpty();
    }
  }

  @Test
  void a_tag_is_known_again() {
    ConsoleFile file = files.find("index.html").orElseThrow();

    assertThat(file.isKnownTo(null)).isFalse();
    assertThat(file.isKnownTo("W/\"other\", " + file.tag())).isTrue();
    assertThat(files.find("console.css").orElseThrow().tag()).isNotEqualTo(file.tag());
  }
}
