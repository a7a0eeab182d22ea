// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The links of all pages lead to files, and to headings in them, that exist. */
class LinksTest {
  private static final Pattern LINK =
      Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(?:#([^)]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  static List<Path> pages() throws IOException {
    return Pages.all();
  }

  @Test
  @DisplayName("are found")
  void are_found() throws IOException {
    assertThat(pages()).contains(Path.of("README.md"), Path.of("modules/docs/operate/install.md"));
    assertThat(LINK.matcher(Pages.withoutCode(Path.of("README.md"))).results())
        .hasSizeGreaterThan(20);
  }

  @ParameterizedTest
  @MethodSource("pages")
  @DisplayName("lead somewhere")
  void lead_somewhere(Path page) throws IOException {
    assertThat(LINK.matcher(Pages.withoutCode(page)).results().toList())
        .allSatisfy(
            link -> {
              assertThat(link.group()).isNotEqualTo("]()");
              Path file = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
              assertThat(Pages.ROOT.resolve(file)).exists();
              if (link.group(2) != null) {
                assertThat(anchors(file)).as(link.group(1)).contains(link.group(2));
              }
            });
  }

  @Test
  @DisplayName("reach every page of the manual from its first page")
  void reach_every_page() throws IOException {
    Path first = Path.of("modules/docs/index.md");
    Set<Path> reached = new HashSet<>(Set.of(first));
    for (List<Path> next = List.of(first); !next.isEmpty(); ) {
      Set<Path> found = new HashSet<>();
      for (Path page : next) {
        LINK.matcher(Pages.withoutCode(page))
            .results()
            .map(link -> page.resolveSibling(link.group(1)).normalize())
            .filter(target -> target.toString().endsWith(".md"))
            .forEach(found::add);
      }
      found.removeAll(reached);
      reached.addAll(found);
      next = List.copyOf(found);
    }
    assertThat(reached).containsAll(Pages.all());
  }

  @Test
  @DisplayName("of llms.txt lead to every page of the manual")
  void of_llms_lead_to_every_page() throws IOException {
    Path docs = Path.of("modules/docs");
    assertThat(LINK.matcher(Pages.text(docs.resolve("llms.txt"))).results())
        .extracting(link -> docs.resolve(link.group(1)))
        .containsExactlyInAnyOrderElementsOf(
            Pages.all().stream().filter(page -> page.startsWith(docs)).toList());
  }

  private static Set<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(Pages.withoutCode(page))
        .results()
        .map(heading -> anchor(heading.group(1)))
        .collect(Collectors.toSet());
  }

  /** As GitHub makes it. */
  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }
}
