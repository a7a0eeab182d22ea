// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.pocketwatch.DelayedPublisher;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The arrows between the packages of core, tracking and the server, as their ROOMS.md draw them.
 */
@AnalyzeClasses(packages = "io.pocketwatch", importOptions = DoNotIncludeTests.class)
class RoomsTest {
  private static final String BASE = "io.pocketwatch";

  /** From the top down; those of the module tracking stand above those of core. */
  private static final List<String> ROOMS =
      List.of(
          "tracking.metrics",
          "loader",
          "guard",
          "tracking",
          "internal.handoff",
          "handoff",
          "internal.batch",
          "internal.rows",
          "store",
          "internal.publish",
          "internal.temporary",
          "internal.setup",
          "internal.amqp",
          "internal.probe",
          "spi",
          "internal.plan",
          "internal.topology",
          "config",
          "internal.base");

  /** Those of the server from the top down: its entry, commands, the daemon, REST, and so on. */
  private static final List<String> ROOMS_OF_THE_SERVER =
      List.of(
          "server",
          "server.migrate",
          "server.cli",
          "server.serve",
          "server.console",
          "server.callback",
          "server.api",
          "server.request",
          "server.store",
          "server.deadletter",
          "server.view",
          "server.access",
          "server.http",
          "server.broker",
          "server.config",
          "server.background");

  private static final int MOST_PARAMETERS = 6;

  private static final Pattern PROGRAMS_AND_TOOLS =
      Pattern.compile("io\\.pocketwatch\\.(server|screen|lab|localbroker|testkit|benchmarks)\\..*");

  private static final String PUBLISHER = BASE + ".internal.publish.DefaultDelayedPublisher";

  @ArchTest static final ArchRule a_room_uses_only_those_below_it = onlyThoseBelow(ROOMS);

  @ArchTest
  static final ArchRule a_room_of_the_server_uses_only_those_below_it =
      onlyThoseBelow(ROOMS_OF_THE_SERVER);

  @ArchTest
  static void each_package_of_the_server_is_a_room(JavaClasses all) {
    assertThat(all.stream().map(JavaClass::getPackageName))
        .filteredOn(name -> name.matches(Pattern.quote(BASE) + "\\.server(\\..*)?"))
        .hasSameElementsAs(ROOMS_OF_THE_SERVER.stream().map(room -> BASE + "." + room).toList());
  }

  private static ArchRule onlyThoseBelow(List<String> rooms) {
    return IntStream.range(1, rooms.size())
        .<ArchRule>mapToObj(
            room ->
                noClasses()
                    .that(resideInAPackage(BASE + "." + rooms.get(room)))
                    .should()
                    .dependOnClassesThat(
                        resideInAnyPackage(
                            rooms.subList(0, room).stream()
                                .map(above -> BASE + "." + above)
                                .toArray(String[]::new))))
        .reduce((one, other) -> CompositeArchRule.of(one).and(other))
        .orElseThrow();
  }

  /** Types of the base package count one by one: some know the rooms, others are known by them. */
  @ArchTest
  static final ArchRule there_are_no_cycles =
      slices()
          .assignedFrom(
              new SliceAssignment() {
                @Override
                public SliceIdentifier getIdentifierOf(JavaClass type) {
                  String name = type.getPackageName();
                  if (name.equals(BASE)) {
                    return SliceIdentifier.of(type.getName().replaceAll("\\$.*", ""));
                  }
                  return ROOMS.contains(name.substring(name.indexOf('.', 4) + 1))
                          || name.equals(BASE + ".metrics")
                      ? SliceIdentifier.of(name)
                      : SliceIdentifier.ignore();
                }

                @Override
                public String getDescription() {
                  return "rooms of core and tracking";
                }
              })
          .should()
          .beFreeOfCycles()
          .ignoreDependency(type(DelayedPublisher.Builder.class), name(PUBLISHER))
          .because("only the builder of publishers knows what they are");

  @ArchTest
  static void core_has_few_public_types(JavaClasses all) {
    assertThat(publicTypes(all, Set.of("", ".config", ".metrics", ".spi"))).hasSizeBetween(20, 36);
  }

  @ArchTest
  static void tracking_has_few_public_types(JavaClasses all) {
    assertThat(publicTypes(all, Set.of(".guard", ".handoff", ".loader", ".store", ".tracking")))
        .hasSizeBetween(20, 34);
  }

  /**
   * Who takes more does too much, or takes what belongs together one by one. Records are values;
   * what is anonymous or local has what it uses for parameters.
   */
  @ArchTest
  static void constructors_take_at_most_six_parameters(JavaClasses all) {
    Set<String> published = new TreeSet<>();
    Set<String> tooMany = new TreeSet<>();
    for (JavaClass type : all) {
      if (PROGRAMS_AND_TOOLS.matcher(type.getName()).matches() || isValueOrAnonymous(type)) {
        continue;
      }
      published.add(type.getName());
      type.getConstructors().stream()
          .filter(each -> each.getRawParameterTypes().size() > MOST_PARAMETERS)
          .forEach(each -> tooMany.add(type.getName()));
    }
    assertThat(published)
        .contains(PUBLISHER, BASE + ".schedule.Schedules", BASE + ".spring.DelayRequest");
    assertThat(tooMany).isEmpty();
  }

  private static boolean isValueOrAnonymous(JavaClass type) {
    return type.isRecord() || type.isEnum() || type.isAnonymousClass() || type.isLocalClass();
  }

  private static List<String> publicTypes(JavaClasses all, Set<String> packages) {
    return all.stream()
        .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(PUBLIC))
        .filter(type -> packages.contains(type.getPackageName().substring(BASE.length())))
        .map(JavaClass::getSimpleName)
        .toList();
  }
}
