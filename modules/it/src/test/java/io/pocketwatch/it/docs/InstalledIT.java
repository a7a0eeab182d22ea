// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Applications outside of this build, put together from what the pages show, on what an
 * installation puts into the local repository. Each sends a delayed message and receives it. None
 * gets another version of anything because of us.
 */
@Tag("wide")
class InstalledIT {
  private static final Path DOCS = Path.of("modules/docs");
  private static final Path QUICKSTART = DOCS.resolve("quickstart.md");
  private static final String ARRIVED = "arrived: Drink some tea";

  private static final String BUCKETS = "com.bucket4j:bucket4j_jdk17-core";
  private static final String JACKSON_2 = "com.fasterxml.jackson.core:";

  /** In place of ours, in the same application without us. */
  private static final String AMQP_STARTER =
      """
      <dependency>
        <groupId>org.springframework.boot</groupId>
        <artifactId>spring-boot-starter-amqp</artifactId>
      </dependency>
      """;

  private static final String TEST_STARTER =
      """
      <dependency>
        <groupId>org.springframework.boot</groupId>
        <artifactId>spring-boot-starter-test</artifactId>
        <scope>test</scope>
      </dependency>
      """;

  private static final String SPRING_TEST =
      """
      package example;

      import static io.pocketwatch.spring.Delayed.delay;
      import static java.time.Duration.ofMinutes;
      import static org.assertj.core.api.Assertions.assertThat;

      import io.pocketwatch.test.TestBroker;
      import io.pocketwatch.test.TestTime;
      import org.junit.jupiter.api.Test;
      import org.springframework.amqp.core.AmqpAdmin;
      import org.springframework.amqp.core.Queue;
      import org.springframework.amqp.rabbit.core.RabbitTemplate;
      import org.springframework.beans.factory.annotation.Autowired;
      import org.springframework.boot.test.context.SpringBootTest;

      @SpringBootTest(properties = "pocketwatch.publisher.confirm-timeout=5m") // for a busy machine
      @TestBroker
      class QuickstartTest {
        @Autowired private AmqpAdmin admin;
        @Autowired private RabbitTemplate rabbitTemplate;
        @Autowired private TestTime pocketwatch;

        @Test
        void a_message_comes_after_half_an_hour_and_not_before() {
          admin.declareQueue(new Queue("later"));
          rabbitTemplate.convertAndSend("", "later", "tea", delay(ofMinutes(30)));

          pocketwatch.advance(ofMinutes(29));
          assertThat(rabbitTemplate.receiveAndConvert("later")).isNull();
          assertThat(pocketwatch.advance(ofMinutes(1))).isOne();
          assertThat(rabbitTemplate.receiveAndConvert("later")).isEqualTo("tea");
        }
      }
      """;

  @RegisterExtension
  static final BrokerExtension BROKER = BrokerExtension.anyVersion().allowingOpenConnections();

  private static Installation installation;

  @BeforeAll
  static void install() throws IOException {
    installation = Installation.in(Path.of("target", "installed").toAbsolutePath());
  }

  @Test
  @DisplayName("the Spring application of the quickstart, to the letter")
  void quickstart() throws Exception {
    spring("quickstart", pomOfThePage()).printsWith("spring-boot:run", arguments(), ARRIVED);
  }

  @Test
  @DisplayName("Spring Boot 4.1, the BOM, the starter and a test: what is Boot's stays Boot's")
  void boot41() throws Exception {
    boot("boot-4.1", pomOfThePage(), JACKSON_2, BUCKETS);
  }

  @Test
  @DisplayName("Spring Boot 3.5, the BOM, the starter and a test: what is Boot's stays Boot's")
  void boot35() throws Exception {
    String older =
        Installation.property("modules/spring-boot-3-starter/pom.xml", "spring-boot.version");
    boot(
        "boot-3.5",
        pomOfThePage()
            .replaceFirst("(?<=parent</artifactId>\\s{1,9}<version>)[\\d.]+", older)
            .replace("pocketwatch-spring-boot-starter", "pocketwatch-spring-boot-3-starter"),
        JACKSON_2,
        BUCKETS,
        "org.jspecify:jspecify");
  }

  @Test
  @DisplayName("plain Java with the BOM, and a test with JUnit")
  void plain() throws Exception {
    String test =
        Pages.text(Path.of("modules/test/src/test/java/io/pocketwatch/test/ReminderIT.java"))
            .replace("package io.pocketwatch.test;", "import io.pocketwatch.test.*;")
            .replace("class ReminderIT", "class ReminderTest");
    Application application =
        Application.of(
                installation,
                "plain",
                withBom(
                    plainPom(
                        block("quickstart.md", "<dependency>")
                            + block("guides/testing.md", "<dependency>"))))
            .file("src/main/java/Quickstart.java", Pages.blocks(QUICKSTART, "java").get(0))
            .file("src/test/java/ReminderTest.java", test)
            .test();

    assertThat(application.managed().keySet()).isNotEmpty().allMatch(InstalledIT::isOurs);
    assertThat(application.dependencies())
        .containsKeys("io.pocketwatch:pocketwatch-core", "com.rabbitmq:amqp-client")
        .allSatisfy(
            (name, version) ->
                assertThat(name)
                    .doesNotStartWith("org.springframework")
                    .doesNotContain("jackson.dataformat"));
    application.prints("Quickstart", BROKER.amqpUri().toString(), ARRIVED);
  }

  /** Adds what is ours, and these others besides. */
  private static void boot(String name, String pom, String... theirs) throws Exception {
    Application alone =
        Application.without(
                installation,
                name + "-alone",
                pom.replaceFirst("(?s)<dependency>.*?</dependency>", AMQP_STARTER + TEST_STARTER))
            .resolve();
    String dependencies = TEST_STARTER + block("guides/testing.md", "<dependency>");
    Application ours =
        spring(name, withBom(pom.replace("<dependencies>", "<dependencies>" + dependencies)))
            .file("src/test/java/example/QuickstartTest.java", SPRING_TEST)
            .test();

    assertThat(ours.managed()).containsAllEntriesOf(alone.managed());
    assertThat(added(alone.managed(), ours.managed())).isNotEmpty().allMatch(InstalledIT::isOurs);
    assertThat(ours.dependencies()).containsAllEntriesOf(alone.dependencies());
    assertThat(added(alone.dependencies(), ours.dependencies()))
        .filteredOn(each -> !isOurs(each))
        .as("what we bring that is not ours")
        .allMatch(each -> Stream.of(theirs).anyMatch(each::startsWith));
    assertThat(above(ours.asked(), alone.managed()))
        .as("for Gradle, where the highest wins")
        .noneMatch(each -> each.startsWith("org.springframework"));
    ours.printsWith("spring-boot:run", arguments(), ARRIVED);
  }

  private static Application spring(String name, String pom) throws IOException {
    String program = Pages.blocks(QUICKSTART, "java").get(1);
    return Application.of(installation, name, pom)
        .file("src/main/java/example/Quickstart.java", "package example;\n\n" + program);
  }

  private static String pomOfThePage() throws IOException {
    return block("quickstart.md", "<project");
  }

  /** As java.md says: the BOM is imported, and our dependencies have no version of their own. */
  private static String withBom(String pom) throws IOException {
    String version = "<version>" + Installation.property("pom.xml", "version") + "</version>";
    return pom.replaceAll(
            "(<artifactId>pocketwatch-[\\w-]+</artifactId>[^\\n]*\\s*)" + version, "$1")
        .replaceFirst("<dependencies>", block("guides/java.md", "<dependencyManagement>") + "$0");
  }

  /** What a plain application brings itself: its tools and test libraries, here those of ours. */
  private static String plainPom(String dependencies) throws IOException {
    return """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>example</groupId>
          <artifactId>plain</artifactId>
          <version>1</version>
          <properties>
            <maven.compiler.source>17</maven.compiler.source>
            <maven.compiler.target>17</maven.compiler.target>
            <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
          </properties>
          <dependencies>
            %s
            <dependency>
              <groupId>org.junit.jupiter</groupId>
              <artifactId>junit-jupiter</artifactId>
              <version>%s</version>
              <scope>test</scope>
            </dependency>
            <dependency>
              <groupId>org.assertj</groupId>
              <artifactId>assertj-core</artifactId>
              <version>%s</version>
              <scope>test</scope>
            </dependency>
          </dependencies>
          <build>
            <plugins>
              <plugin>
                <artifactId>maven-surefire-plugin</artifactId>
                <version>%s</version>
              </plugin>
            </plugins>
          </build>
        </project>
        """
        .formatted(
            dependencies,
            Installation.property("pom.xml", "junit.version"),
            Installation.property("pom.xml", "assertj.version"),
            Installation.property("pom.xml", "surefire.version"));
  }

  private static String block(String page, String start) throws IOException {
    return Pages.blocks(DOCS.resolve(page), "xml").stream()
        .filter(each -> each.startsWith(start))
        .findFirst()
        .orElseThrow(() -> new IOException(page + " shows no " + start));
  }

  private static String arguments() {
    return "-Dspring-boot.run.arguments=--spring.rabbitmq.addresses=" + BROKER.amqpUri();
  }

  private static Set<String> added(Map<String, ?> before, Map<String, ?> after) {
    Set<String> added = new TreeSet<>(after.keySet());
    added.removeAll(before.keySet());
    return added;
  }

  /** Those that somebody asks for in a newer version than the management has. */
  private static Set<String> above(Map<String, Set<String>> asked, Map<String, String> managed) {
    Set<String> above = new TreeSet<>();
    asked.forEach(
        (name, versions) -> {
          String version = managed.get(name + "::jar");
          if (version != null && versions.stream().anyMatch(each -> isAbove(each, version))) {
            above.add(name);
          }
        });
    return above;
  }

  private static boolean isAbove(String version, String other) {
    return Arrays.compare(numbers(version), numbers(other)) > 0;
  }

  private static int[] numbers(String version) {
    return Pattern.compile("\\d+")
        .matcher(version)
        .results()
        .mapToInt(each -> Integer.parseInt(each.group()))
        .toArray();
  }

  private static boolean isOurs(String name) {
    return name.startsWith("io.pocketwatch:");
  }
}
