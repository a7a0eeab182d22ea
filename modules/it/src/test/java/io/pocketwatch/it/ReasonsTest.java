// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What an exception says is shown to nobody as it is: many have no message. Reasons come from
 * {@code ErrorWords}.
 */
@AnalyzeClasses(packages = "io.pocketwatch", importOptions = DoNotIncludeTests.class)
class ReasonsTest {
  private static final Set<String> METHODS =
      Set.of("getMessage", "getLocalizedMessage", "toString");

  private static final Pattern EXCEPTION = Pattern.compile("(Exception|Error|Throwable)$");

  @ArchTest
  static final ArchRule nobody_but_one_asks_an_exception_for_its_words =
      noClasses()
          .that()
          .areNotAssignableTo(Throwable.class) // they make their own
          .and()
          .haveNameNotMatching("io\\.pocketwatch\\.(localbroker|benchmarks|testkit)\\..*")
          .and()
          .doNotHaveFullyQualifiedName("io.pocketwatch.internal.base.ErrorWords")
          .should()
          .accessTargetWhere(
              new DescribedPredicate<JavaAccess<?>>("it is the message of an exception") {
                @Override
                public boolean test(JavaAccess<?> access) {
                  return access.getTarget() instanceof CodeUnitAccessTarget target
                      && METHODS.contains(target.getName())
                      && target.getRawParameterTypes().isEmpty()
                      && EXCEPTION.matcher(target.getOwner().getName()).find();
                }
              })
          .because("ErrorWords.of(exception) has words of each");

  @Test
  void the_rule_sees_a_call_and_a_reference() {
    for (Class<?> each : List.of(Calls.class, Refers.class)) {
      assertThat(
              nobody_but_one_asks_an_exception_for_its_words
                  .evaluate(new ClassFileImporter().importClasses(each))
                  .hasViolation())
          .isTrue();
    }
  }

  private static final class Calls {
    static String words(IllegalStateException e) {
      return "it failed: " + e.getMessage();
    }
  }

  private static final class Refers {
    static Stream<String> words(Stream<RuntimeException> failures) {
      return failures.map(Throwable::toString);
    }
  }

  /** {@code "…" + e}, which byte code does not show. */
  @Test
  void nobody_puts_an_exception_into_a_text() throws IOException {
    Pattern put = Pattern.compile("\"\\s*\\+\\s*(e|ex|error|failure|throwable)\\s*[);,+]");
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      List<String> found =
          files
              .filter(file -> file.toString().matches(".*/main/.*\\.java"))
              .filter(
                  file ->
                      !file.toString().matches(".*/(local-broker|benchmarks|testkit|target)/.*"))
              .flatMap(file -> lines(file).filter(line -> put.matcher(line).find()))
              .toList();
      assertThat(found).isEmpty();
    }
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream().map(line -> file + ": " + line.strip());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
