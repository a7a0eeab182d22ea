// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/**
 * from-the-plugin.md shows only what is compiled or there; its YAML is read in the sample's tests.
 */
class MigrationGuideTest {
  private static final Path MODULES = Path.of("..");
  private static final Path HERE = Path.of("src/test/java/io/pocketwatch/spring/docs");

  @Test
  void its_java_is_compiled_word_for_word() throws IOException {
    String compiled = withoutLayout(Files.readString(HERE.resolve("MigrationSnippets.java")));
    assertThat(blocks("java"))
        .hasSize(4)
        .allSatisfy(each -> assertThat(compiled).contains(withoutLayout(each)));
  }

  @Test
  void its_dependencies_are_modules_of_ours() throws Exception {
    List<String> xml = blocks("xml");
    assertThat(xml).hasSize(2);
    String parent = Files.readString(MODULES.resolve("../pom.xml"));
    for (String each : xml) {
      Element dependency =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new ByteArrayInputStream(each.getBytes(StandardCharsets.UTF_8)))
              .getDocumentElement();
      assertThat(text(dependency, "groupId")).isEqualTo("io.pocketwatch");
      assertThat(artifacts()).contains(text(dependency, "artifactId"));
      assertThat(parent).contains("<version>" + text(dependency, "version") + "</version>");
    }
    assertThat(artifacts()).contains("pocketwatch-spring-boot-3-starter", "pocketwatch-store-jdbc");
  }

  private static String text(Element element, String name) {
    return element.getElementsByTagName(name).item(0).getTextContent();
  }

  private static List<String> artifacts() throws IOException {
    Pattern own = Pattern.compile("</parent>\\s*<artifactId>(.*?)</artifactId>");
    try (Stream<Path> modules = Files.list(MODULES)) {
      return modules
          .map(module -> module.resolve("pom.xml"))
          .filter(Files::exists)
          .map(MigrationGuideTest::read)
          .flatMap(pom -> own.matcher(pom).results().map(found -> found.group(1)))
          .toList();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String guide() throws IOException {
    return Files.readString(Path.of("../docs/guides/from-the-plugin.md"));
  }

  private static List<String> blocks(String language) throws IOException {
    Pattern block = Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```");
    return block.matcher(guide()).results().map(found -> found.group(1)).toList();
  }

  /** Formatters break and indent lines at other places than a guide does. */
  private static String withoutLayout(String code) {
    return code.replaceAll("\\s+", "");
  }
}
