// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

/** The starters ask the same of the versions of Spring AMQP that they bring. */
class SpringInternalsTest {
  private static final Pattern REFLECTION =
      Pattern.compile(
          "setAccessible|makeAccessible|getDeclared(Field|Method|Constructor)|DirectFieldAccessor"
              + "|findField|findMethod|privateLookupIn");

  @ParameterizedTest
  @EnumSource
  void each_is_in_the_version_on_the_class_path(SpringInternals entry) {
    assertThat(entry.find()).isNotNull();
  }

  @Test
  void that_version_is_among_those_that_were_seen() {
    String version = RabbitTemplate.class.getPackage().getImplementationVersion();
    assertThat(SpringInternals.SEEN_IN).contains(version.replaceFirst("\\.\\d+$", ""));
  }

  @Test
  void nothing_else_of_this_module_reaches_behind_public_methods() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      List<Path> sources = files.filter(each -> each.toString().endsWith(".java")).toList();
      assertThat(sources).hasSizeGreaterThan(50);
      assertThat(sources)
          .filteredOn(each -> REFLECTION.matcher(text(each)).find())
          .extracting(each -> each.getFileName().toString())
          .containsExactly("SpringInternals.java");
    }
  }

  private static String text(Path source) {
    try {
      return Files.readString(source);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
