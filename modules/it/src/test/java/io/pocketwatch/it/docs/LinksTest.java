// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The links of all pages lead to files, and to headings in them, that exist. */
class LinksTest {
  private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
  private static final Set<String> NOT_OURS = Set.of(".git", "target", "node_modules");
  private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```");
  private static final Pattern LINK =
      Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(?:#([^)]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  static Stream<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return NOT_OURS.contains(String.valueOf(folder.getFileName()))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".md")) {
              pages.add(ROOT.relativize(file));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    assertThat(pages).contains(Path.of("README.md"), Path.of("modules/docs/operate/install.md"));
    return pages.stream();
  }

  @Test
  @DisplayName("are found")
  void areFound() throws IOException {
    assertThat(LINK.matcher(text(ROOT.resolve("README.md"))).results()).hasSizeGreaterThan(20);
  }

  @ParameterizedTest
  @MethodSource("pages")
  @DisplayName("lead somewhere")
  void leadSomewhere(Path name) throws IOException {
    Path page = ROOT.resolve(name);
    assertThat(LINK.matcher(text(page)).results().toList())
        .allSatisfy(
            link -> {
              Path file = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
              assertThat(file).exists();
              if (link.group(2) != null) {
                assertThat(anchors(file)).as(link.group(1)).contains(link.group(2));
              }
            });
  }

  private static Set<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(text(page))
        .results()
        .map(heading -> anchor(heading.group(1)))
        .collect(Collectors.toSet());
  }

  /** As GitHub makes it. */
  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }

  private static String text(Path page) throws IOException {
    return CODE.matcher(Files.readString(page)).replaceAll("");
  }
}
