// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What users depend on is published, named by the BOM, and needs nothing that is not published. */
class PublishedModulesTest {
  private static final Path MODULES = Path.of("..").toAbsolutePath().normalize();
  private static final String PUBLISHED = "<maven.deploy.skip>false</maven.deploy.skip>";

  /** Made by every build. */
  private static final String MADE = "target/published-pom.xml";

  private static final Pattern OURS =
      Pattern.compile(
          "<artifactId>(pocketwatch-[\\w-]+)</artifactId>((?:(?!</?dependency>)[\\s\\S])*)");

  @Test
  void the_bom_names_what_is_published() throws IOException {
    Set<String> published = published();
    published.remove("pocketwatch-bom");

    assertThat(dependencies("bom")).isEqualTo(published).contains("pocketwatch-core");
  }

  @Test
  void what_is_published_depends_on_what_is_published() throws IOException {
    Set<String> published = published();
    for (String module : published) {
      assertThat(published)
          .as(module)
          .containsAll(dependencies(module.replace("pocketwatch-", "")));
    }
  }

  /** Who imports the BOM imports all that it manages, and what its parent manages. */
  @Test
  void what_is_published_manages_nothing_but_ours() throws IOException {
    for (String module : published()) {
      String pom = text(MODULES.resolve(module.replace("pocketwatch-", "")).resolve(MADE));
      assertThat(pom)
          .as(module)
          .doesNotContain("<parent>", "<properties>")
          .matches(each -> !each.replace("${project.version}", "").contains("${"), "is resolved");
      if (module.equals("pocketwatch-bom")) {
        assertThat(Pattern.compile("<groupId>(.+?)</groupId>").matcher(pom).results())
            .allMatch(found -> found.group(1).equals("io.pocketwatch"));
      } else {
        assertThat(pom).as(module).doesNotContain("<dependencyManagement>");
      }
    }
  }

  private static Set<String> published() throws IOException {
    try (Stream<Path> folders = Files.list(MODULES)) {
      return folders
          .map(folder -> folder.resolve("pom.xml"))
          .filter(Files::exists)
          .filter(pom -> text(pom).contains(PUBLISHED))
          .map(pom -> "pocketwatch-" + pom.getParent().getFileName())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** Ours, in any scope but that of tests. */
  private static Set<String> dependencies(String module) {
    String pom = text(MODULES.resolve(module).resolve("pom.xml"));
    return OURS.matcher(pom.substring(pom.indexOf("<dependencies>")))
        .results()
        .filter(each -> !each.group(2).contains("<scope>test</scope>"))
        .map(each -> each.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
