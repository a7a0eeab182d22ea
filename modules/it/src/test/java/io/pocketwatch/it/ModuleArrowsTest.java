// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/** Arrows between modules point down only, and what is internal to a module stays in it. */
@AnalyzeClasses(packages = "io.pocketwatch", importOptions = DoNotIncludeTests.class)
class ModuleArrowsTest {

  private static final DescribedPredicate<JavaClass> LOCAL_BROKER =
      resideInAPackage("io.pocketwatch.localbroker..").as("local-broker");
  private static final DescribedPredicate<JavaClass> TESTKIT =
      resideInAPackage("io.pocketwatch.testkit..").as("testkit");
  private static final DescribedPredicate<JavaClass> SCREEN =
      resideInAPackage("io.pocketwatch.screen..").as("screen");
  private static final DescribedPredicate<JavaClass> SERVER =
      resideInAPackage("io.pocketwatch.server..").as("server");
  private static final DescribedPredicate<JavaClass> LAB =
      resideInAPackage("io.pocketwatch.lab..").as("lab");

  private static final DescribedPredicate<JavaClass> STORE_JDBC =
      resideInAPackage("io.pocketwatch.store.jdbc..").as("store-jdbc");
  private static final DescribedPredicate<JavaClass> TRACKING =
      resideInAnyPackage(
              "io.pocketwatch.guard..",
              "io.pocketwatch.handoff..",
              "io.pocketwatch.internal.batch..",
              "io.pocketwatch.internal.handoff..",
              "io.pocketwatch.internal.rows..",
              "io.pocketwatch.loader..",
              "io.pocketwatch.store",
              "io.pocketwatch.tracking..")
          .as("tracking");
  private static final DescribedPredicate<JavaClass> SCHEDULES =
      resideInAPackage("io.pocketwatch.schedule..").as("schedules");

  private static final DescribedPredicate<JavaClass> SPRING =
      resideInAPackage("io.pocketwatch.spring..").as("spring");

  private static final DescribedPredicate<JavaClass> TEST =
      resideInAPackage("io.pocketwatch.test..").as("test");

  /** What no other module claims, so that a new package of core is covered from its first day. */
  private static final DescribedPredicate<JavaClass> CORE =
      resideInAPackage("io.pocketwatch..")
          .and(
              not(
                  LOCAL_BROKER
                      .or(TESTKIT)
                      .or(SCREEN)
                      .or(SERVER)
                      .or(LAB)
                      .or(STORE_JDBC)
                      .or(TRACKING)
                      .or(SCHEDULES)
                      .or(SPRING)
                      .or(TEST)))
          .as("core");

  @ArchTest
  static final ArchRule arrows_point_down =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("core")
          .definedBy(CORE)
          .layer("local-broker")
          .definedBy(LOCAL_BROKER)
          .layer("testkit")
          .definedBy(TESTKIT)
          .layer("store-jdbc")
          .definedBy(STORE_JDBC)
          .layer("tracking")
          .definedBy(TRACKING)
          .layer("schedules")
          .definedBy(SCHEDULES)
          .layer("spring")
          .definedBy(SPRING)
          .layer("test")
          .definedBy(TEST)
          .layer("screen")
          .definedBy(SCREEN)
          .layer("server")
          .definedBy(SERVER)
          .optionalLayer("lab") // it is there with -Plab
          .definedBy(LAB)
          .whereLayer("core")
          .mayNotAccessAnyLayer()
          .whereLayer("local-broker")
          .mayNotAccessAnyLayer()
          .whereLayer("screen")
          .mayNotAccessAnyLayer()
          .whereLayer("testkit")
          .mayOnlyAccessLayers("core", "tracking", "local-broker")
          .whereLayer("tracking")
          .mayOnlyAccessLayers("core")
          .whereLayer("store-jdbc")
          .mayOnlyAccessLayers("core", "tracking")
          .whereLayer("schedules")
          .mayOnlyAccessLayers("core", "tracking")
          .whereLayer("spring")
          .mayOnlyAccessLayers("core", "tracking", "store-jdbc", "schedules")
          .whereLayer("test")
          .mayOnlyAccessLayers("core", "tracking", "store-jdbc", "spring", "local-broker")
          .whereLayer("server")
          .mayOnlyAccessLayers("core", "tracking", "store-jdbc", "schedules", "screen")
          .whereLayer("lab")
          .mayOnlyAccessLayers(
              "core", "local-broker", "tracking", "store-jdbc", "schedules", "screen", "server");

  @ArchTest
  static final ArchRule core_and_local_broker_see_no_framework =
      noClasses()
          .that(CORE.or(LOCAL_BROKER).or(TRACKING).or(SCHEDULES))
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                  "org.springframework..", "java.sql..", "javax.sql..", "org.junit.."));

  @ArchTest
  static final ArchRule spring_does_without_boot =
      noClasses()
          .that(SPRING)
          .should()
          .dependOnClassesThat(resideInAPackage("org.springframework.boot.."));

  /** Values and tools, for the modules that are released with core. */
  private static final DescribedPredicate<JavaClass> SHARED =
      resideInAnyPackage(
              "io.pocketwatch.internal.base",
              "io.pocketwatch.internal.plan",
              "io.pocketwatch.internal.probe",
              "io.pocketwatch.internal.rows",
              "io.pocketwatch.internal.topology")
          .as("shared");

  /** Tracking is the other half of core; which of its rooms it uses, {@link RoomsTest} says. */
  @ArchTest
  static final ArchRule internal_packages_stay_in_their_module =
      List.of(
              CORE,
              LOCAL_BROKER,
              TESTKIT,
              STORE_JDBC,
              TRACKING,
              SCHEDULES,
              SPRING,
              TEST,
              SCREEN,
              SERVER,
              LAB)
          .stream()
          .<ArchRule>map(
              module ->
                  noClasses()
                      .that(not(module == CORE ? CORE.or(TRACKING) : module))
                      .should()
                      .dependOnClassesThat(
                          module.and(resideInAPackage("..internal..")).and(not(SHARED))))
          .reduce((one, other) -> CompositeArchRule.of(one).and(other))
          .orElseThrow();

  @ArchTest
  static final ArchRule nobody_uses_java_util_logging =
      GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

  @ArchTest
  static final ArchRule only_commands_and_the_test_extension_write_to_the_terminal =
      noClasses()
          .that(not(SERVER.or(SCREEN).or(LAB)))
          .and()
          .doNotHaveSimpleName("BrokerExtension") // a test that did not run must be seen to
          .should(GeneralCodingRules.ACCESS_STANDARD_STREAMS)
          .because("a library reports through slf4j");

  /** NullAway reads marked packages only, so a forgotten mark would switch it off unseen. */
  @ArchTest
  static final ArchRule every_package_is_null_marked =
      classes()
          .should(
              new ArchCondition<>("reside in a @NullMarked package") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                  boolean marked =
                      type.getPackage()
                          .tryGetPackageInfo()
                          .map(info -> info.isAnnotatedWith(NullMarked.class))
                          .orElse(false);
                  events.add(
                      new SimpleConditionEvent(
                          type, marked, type.getPackageName() + " has no @NullMarked"));
                }
              });
}
