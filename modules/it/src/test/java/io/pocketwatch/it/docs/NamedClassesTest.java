// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The way in to a package names only classes that are there. */
class NamedClassesTest {
  private static final Set<String> OF_SPRING = Set.of("RabbitAdmin", "RabbitTemplate");

  /** A class in code: in a comment, or on a page. Names in capitals are constants. */
  private static final Pattern IN_COMMENT =
      Pattern.compile("\\{@(?:code|link)\\s+(?:\\*\\s+)?(?:[a-z.]+\\.)?([A-Z]\\w*[a-z]\\w*)");

  private static final Pattern ON_PAGE = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)[`.]");

  @Test
  void packages_name_classes_that_are_there() throws IOException {
    assertThat(unknown("package-info.java", IN_COMMENT)).isEmpty();
  }

  @Test
  void pages_of_rooms_too() throws IOException {
    assertThat(unknown("ROOMS.md", ON_PAGE)).isEmpty();
  }

  private static Set<String> unknown(String file, Pattern named) throws IOException {
    Set<String> known = classes();
    Set<String> unknown = new TreeSet<>();
    for (Path each : files(file)) {
      named
          .matcher(Files.readString(each))
          .results()
          .map(found -> found.group(1))
          .filter(name -> !known.contains(name) && !OF_SPRING.contains(name))
          .forEach(name -> unknown.add(Pages.ROOT.relativize(each) + ": " + name));
    }
    return unknown;
  }

  private static Set<String> classes() throws IOException {
    return files(".java").stream()
        .map(each -> each.getFileName().toString().replace(".java", ""))
        .collect(Collectors.toSet());
  }

  private static List<Path> files(String ending) throws IOException {
    try (Stream<Path> files = Files.walk(Pages.ROOT.resolve("modules"))) {
      return files
          .filter(file -> file.toString().endsWith(ending))
          .filter(file -> !file.toString().contains("/target/"))
          .toList();
    }
  }
}
