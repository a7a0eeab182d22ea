// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The Markdown of this repository. */
final class Pages {
  static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

  private static final Set<String> NOT_OURS =
      Set.of(".git", "target", "node_modules", ".vitepress");
  private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```");

  private Pages() {}

  /** All of them, seen from the root. */
  static List<Path> all() throws IOException {
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
    return pages.stream().sorted().toList();
  }

  /** README.md and the manual. */
  static List<Path> manual() throws IOException {
    return all().stream()
        .filter(page -> page.startsWith("modules/docs") || page.equals(Path.of("README.md")))
        .toList();
  }

  static String text(Path page) throws IOException {
    return Files.readString(ROOT.resolve(page));
  }

  static String withoutCode(Path page) throws IOException {
    return CODE.matcher(text(page)).replaceAll("");
  }

  /** What is between the fences of this language. */
  static List<String> blocks(Path page, String language) throws IOException {
    Pattern block = Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```");
    return block.matcher(text(page)).results().map(found -> found.group(1)).toList();
  }
}
