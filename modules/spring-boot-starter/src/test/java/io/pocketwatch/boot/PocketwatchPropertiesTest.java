// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.Schedule.CatchUp;
import io.pocketwatch.schedule.Schedules;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What an editor proposes is what the application takes, in each of Boot's spellings. */
class PocketwatchPropertiesTest {
  private static final String PREFIX = "pocketwatch.";
  private static final Set<String> SECTIONS =
      Set.of("wheel", "ttl-queues", "temporary-queues", "publisher", "loader");

  private final StandardEnvironment environment = new StandardEnvironment();

  @Test
  void the_metadata_has_all_keys_of_yaml_and_those_that_only_an_application_has()
      throws IOException {
    Set<String> keys = new TreeSet<>(allowed("no-such-key"));
    keys.removeAll(SECTIONS);
    keys.removeAll(Set.of("defaults", "server", "store")); // 'store' is another one there
    for (String section : SECTIONS) {
      allowed(section + ".no-such-key").forEach(key -> keys.add(section + "." + key));
    }
    allowed("defaults.no-such-key").forEach(key -> keys.add("defaults." + key));
    keys.addAll(List.of("connect", "enabled", "loader.enabled", "schedules-runner.enabled"));
    keys.addAll(List.of("store.enabled", "store.initialize-schema", "store.table-prefix"));
    for (String key :
        List.of("handling-lease", "early-tolerance", "on-store-failure", "store-patience")) {
      keys.add("guard." + key);
    }
    assertThat(metadata())
        .extracting(PocketwatchPropertiesTest::name)
        .containsExactlyInAnyOrderElementsOf(keys);
    assertThat(metadata())
        .allSatisfy(each -> assertThat(each.path("description").asText()).endsWith("."));
  }

  /** An editor completes them by the components of the type of a map's values. */
  @Test
  void the_type_of_a_route_has_the_keys_of_a_route() throws IOException {
    assertThat(metadata())
        .filteredOn(each -> name(each).equals("routes"))
        .extracting(each -> each.path("type").asText())
        .containsExactly(
            "java.util.Map<java.lang.String,%s>"
                .formatted(PocketwatchProperties.Route.class.getName()));
    assertThat(PocketwatchProperties.Route.class.getRecordComponents())
        .extracting(each -> DataObjectPropertyName.toDashedForm(each.getName()))
        .containsExactlyInAnyOrderElementsOf(allowed("routes.t.no-such-key"));
  }

  @Test
  void a_schedule_has_the_keys_of_yaml() {
    DelayRoutes wrong =
        DelayRoutes.of(Map.of("schedules", Map.of("s", Map.of("no-such-key", "x"))), "test");

    assertThat(PocketwatchProperties.Recurring.class.getRecordComponents())
        .extracting(each -> DataObjectPropertyName.toDashedForm(each.getName()))
        .containsExactlyInAnyOrderElementsOf(allowed(() -> Schedules.read(wrong)));
  }

  @Test
  void a_schedule_of_a_file_is_changed_by_a_variable() {
    variables(
        Map.of("POCKETWATCH_SCHEDULES_DAILYREPORT_CATCHUP", "all"),
        Map.of(
            "pocketwatch.routes.reports.exchange",
            "reports",
            "pocketwatch.routes.reports.routing-key",
            "daily",
            "pocketwatch.routes.reports.tracking",
            "full",
            "pocketwatch.schedules.daily-report.cron",
            "0 9 * * MON-FRI",
            "pocketwatch.schedules.daily-report.route",
            "reports",
            "pocketwatch.schedules.daily-report.times",
            "5",
            "pocketwatch.schedules.daily-report.jitter",
            "30s",
            "pocketwatch.schedules.daily-report.headers.kind",
            "daily"));

    assertThat(Schedules.read(routes()))
        .containsExactly(
            Schedule.named("daily-report")
                .cron("0 9 * * MON-FRI")
                .route("reports")
                .times(5)
                .jitter(Duration.ofSeconds(30))
                .catchUp(CatchUp.ALL)
                .header("kind", "daily")
                .build());
  }

  @Test
  void its_defaults_are_the_defaults() throws IOException {
    Map<String, Object> defaults = new LinkedHashMap<>();
    for (JsonNode property : metadata()) {
      JsonNode value = property.get("defaultValue");
      if (value != null) {
        defaults.put(PREFIX + name(property), value.asText());
      }
    }
    assertThat(defaults).hasSizeGreaterThan(30);
    for (Map<String, Object> each : List.of(defaults, Map.<String, Object>of())) {
      bind(each);
      assertThat(routes()).usingRecursiveComparison().isEqualTo(DelayRoutes.none());
      assertThat(guard())
          .usingRecursiveComparison()
          .ignoringFields("values.clock")
          .isEqualTo(GuardOptions.defaults());
    }
    assertThat(bind(defaults)).usingRecursiveComparison().isEqualTo(bind(Map.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pocketwatch.wheel.queue-type",
        "pocketwatch.wheel.queueType",
        "pocketwatch.wheel.queue_type",
        "POCKETWATCH_WHEEL_QUEUETYPE",
        "POCKETWATCH_WHEEL_QUEUE_TYPE"
      })
  void a_key_may_be_spelled_in_each_of_boots_ways(String key) {
    if (key.startsWith("POCKETWATCH")) {
      variables(Map.of(key, "Classic", "POCKETWATCH_WHEEL_ACCEPTLOSS", "TRUE"), Map.of());
    } else {
      bind(Map.of(key, "CLASSIC", "pocketwatch.wheel.acceptLoss", "true"));
    }
    assertThat(routes().hold().wheel().queues().type().argument()).isEqualTo("classic");
  }

  @Test
  void a_route_of_a_file_is_changed_by_a_variable() {
    variables(
        Map.of(
            "POCKETWATCH_ROUTES_ORDERTIMEOUT_ROUTINGKEY", "order.timeout",
            "POCKETWATCH_ROUTES_ORDERTIMEOUT_DELAYS_0_", "20m",
            "POCKETWATCH_ROUTES_ORDERTIMEOUT_USER_EXPIRATION", "drop",
            "POCKETWATCH_ROUTES_INVOICES_EXCHANGE", "invoices",
            "POCKETWATCH_ROUTES_INVOICES_TRACKING", "full"),
        Map.of(
            "pocketwatch.routes.order-timeout.exchange", "orders",
            "pocketwatch.routes.order-timeout.delays", "15m,30m"));
    DelayRoutes routes = routes();
    assertThat(routes.routes())
        .extracting(route -> route.name() + " " + route.exchange() + " " + route.routingKey())
        .containsExactlyInAnyOrder("order-timeout orders order.timeout", "invoices invoices null");
    assertThat(routes.named("invoices").tracking()).isEqualTo(Tracking.FULL);
    assertThat(routes.named("order-timeout").delays()).containsExactly(Duration.ofMinutes(20));
    assertThat(routes.named("order-timeout").userExpiration().name()).isEqualTo("DROP");
  }

  /** Also where it is as long as the variable's, which Boot binds first. */
  @Test
  void the_name_in_the_file_is_the_routes() {
    variables(
        Map.of(
            "POCKETWATCH_ROUTES_ORDERTIMEOUT_ROUTINGKEY", "order.timeout",
            "POCKETWATCH_ROUTES_INVOICES_ROUTINGKEY", "invoice"),
        Map.of(
            "pocketwatch.routes.orderTimeout.exchange", "orders",
            "pocketwatch.routes.Invoices.exchange", "invoices"));
    assertThat(routes().routes())
        .extracting(route -> route.name() + " " + route.exchange() + " " + route.routingKey())
        .containsExactlyInAnyOrder(
            "orderTimeout orders order.timeout", "Invoices invoices invoice");
  }

  @ParameterizedTest
  @CsvSource({"retry-1-0, retry-10", "Orders, orders", "order-timeout, orderTimeout"})
  void two_routes_that_boot_takes_for_one_are_refused(String one, String other) {
    bind(
        Map.of(
            "pocketwatch.routes.%s.exchange".formatted(one), "x",
            "pocketwatch.routes.%s.exchange".formatted(other), "y"));
    assertThatThrownBy(this::routes)
        .hasMessageContaining("'%s'".formatted(one))
        .hasMessageContaining("'%s'".formatted(other));
  }

  @Test
  void variables_count_over_files() {
    PocketwatchProperties properties =
        variables(
            Map.of(
                "POCKETWATCH_PUBLISHER_CONFIRMTIMEOUT", "7s",
                "POCKETWATCH_PUBLISHER_MAX_IN_FLIGHT", "8",
                "POCKETWATCH_LOADER_ENABLED", "false",
                "POCKETWATCH_NAME_PREFIX", "mine"),
            Map.of(
                "pocketwatch.publisher.channels", 2,
                "pocketwatch.publisher.confirm-timeout", "5s",
                "pocketwatch.name-prefix", "given"));
    DelayRoutes routes = routes();
    assertThat(routes.publisher().confirmTimeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(routes.publisher().maxInFlight()).isEqualTo(8);
    assertThat(routes.publisher().channels()).isEqualTo(2);
    assertThat(routes.hold().namePrefix()).isEqualTo("mine");
    assertThat(guard().namePrefix()).isEqualTo("mine");
    assertThat(properties.loader().enabled()).isFalse();
  }

  @Test
  void variables_of_our_tools_are_no_properties() {
    assertThat(
            variables(
                Map.of(
                    "POCKETWATCH_BROKER", "amqp://localhost",
                    "POCKETWATCH_BROKER_4_3", "amqp://localhost",
                    "POCKETWATCH_STORE_PASSWORD", "secret",
                    "POCKETWATCH_JAVA_OPTS", "-Xmx1g"),
                Map.of()))
        .usingRecursiveComparison()
        .isEqualTo(bind(Map.of()));
  }

  @Test
  void values_are_read_as_boot_reads_them() {
    PocketwatchProperties properties =
        bind(
            Map.of(
                "pocketwatch.guard.store-patience", "PT10M",
                "pocketwatch.native", false, // what YAML makes of a bare off
                "pocketwatch.wheel.hands", "1h,1m,1s",
                "pocketwatch.defaults.delays", "",
                "pocketwatch.routes[a b].exchange", "x"));
    assertThat(guard().storePatience()).isEqualTo(Duration.ofMinutes(10));
    assertThat(properties.nativeMode()).isEqualTo(NativeMode.OFF);
    assertThat(routes().hold().wheel().hands()).hasSize(3);
    assertThat(routes().named("a b").exchange()).isEqualTo("x");
  }

  /** A refusal names the key as in YAML, and where it is written. */
  @Test
  void a_refusal_says_where_the_key_is_written() {
    variables(
        Map.of("POCKETWATCH_ROUTES_REMINDER_DEFAULTDELAY", "5000d"),
        Map.of("pocketwatch.routes.reminder.exchange", "x"));
    assertThatThrownBy(this::routes)
        .hasMessageContaining("application properties: pocketwatch.routes.reminder.default-delay")
        .hasMessageContaining("\"POCKETWATCH_ROUTES_REMINDER_DEFAULTDELAY\"");
  }

  /** As in YAML; Boot alone would read milliseconds, and more that YAML does not know. */
  @ParameterizedTest
  @CsvSource({
    "pocketwatch.routes.r.delays, '15m,900', '.delays[1]: ''900'' has no unit; write for example'",
    "pocketwatch.routes.r.delays[0], 900, '.delays[0]: ''900'' has no unit'",
    "pocketwatch.routes[a b].default-delay, 0, '[''a b''].default-delay: ''0'' has no unit'",
    "pocketwatch.defaults.handoffBefore, 3600, '.handoff-before: ''3600'' has no unit'",
    "pocketwatch.wheel.max-delay, ${DAYS}, '.max-delay: ''31'' has no unit'",
    "pocketwatch.wheel.max-delay, 5D, '.max-delay: ''5D'' is not a duration'",
    "pocketwatch.wheel.accept-loss, on, '.accept-loss: ''on'' is a text; allowed: true, false'",
    "pocketwatch.publisher.channels, 0x10, '.channels: ''0x10'' is a text; allowed: a whole'",
    "pocketwatch.guard.store-patience, -5, '.guard.store-patience: ''-5'' has no unit'",
    "pocketwatch.guard.handling-lease, 2d, '.guard.handling-lease: handling-lease 2d is out of'",
    "pocketwatch.schedules.s.every, 900, '.schedules.s.every: ''900'' has no unit'",
    "pocketwatch.routes.r.tracking, '', '.routes.r.tracking: has no value; give it one or leave the"
        + " key out'",
    "pocketwatch.routes.r.default-delay, ${UNSET:}, '.default-delay: has no value; give it one or"
        + " leave the key out'",
    "pocketwatch.defaults.insertLimit, '', '.insert-limit: has no value; give it one or leave the"
        + " key out'",
    "pocketwatch.wheel.resolution, '', '.wheel.resolution: has no value; give it one or leave the"
        + " key out'",
    "pocketwatch.wheel.max-delay, '', '.wheel.max-delay: has no value; give it one or leave the key"
        + " out'",
    "pocketwatch.loader.rate, '', '.loader.rate: has no value; give it one or leave the key out'",
    "pocketwatch.guard.store-patience, '', '.store-patience: has no value; give it one or leave the"
        + " key out'"
  })
  void what_yaml_refuses_is_refused(String key, String value, String problem) {
    bind(Map.of("DAYS", "31", key, value, "pocketwatch.routes.r.exchange", "x"));

    assertThatThrownBy(this::routes)
        .hasMessageStartingWith("application properties: pocketwatch.")
        .hasMessageContaining(problem);
  }

  @Test
  void all_that_is_wrong_is_told_with_its_origin() {
    bind(
        Map.of(
            "pocketwatch.routes.r.exchange", "x",
            "pocketwatch.routes.r.tracking", "full",
            "pocketwatch.routes.r.delays", "15m",
            "pocketwatch.publisher.channels", "65"));

    assertThatThrownBy(this::routes)
        .message()
        .satisfies(
            lines ->
                assertThat(lines.lines())
                    .satisfiesExactly(
                        line -> assertThat(line).contains("channels 65", "set by", "\"file\""),
                        line -> assertThat(line).contains("r.delays: has no effect", "set by")));
  }

  @Test
  void what_is_no_duration_needs_no_unit() {
    bind(
        Map.of(
            "pocketwatch.schedules.s.every", "15m",
            "pocketwatch.schedules.s.route", "every",
            "pocketwatch.schedules.s.headers.every", "900",
            "pocketwatch.routes.every.exchange", "900",
            "pocketwatch.routes.every.routing-key", "15",
            "pocketwatch.routes.every.tracking", "full"));

    assertThat(Schedules.read(routes())).hasSize(1);
  }

  private DelayRoutes routes() {
    return CheckedProperties.of(environment).routes();
  }

  private GuardOptions guard() {
    return CheckedProperties.of(environment).guard();
  }

  private PocketwatchProperties variables(Map<String, Object> variables, Map<String, Object> file) {
    environment
        .getPropertySources()
        .replace(
            "systemEnvironment",
            new SystemEnvironmentPropertySource("systemEnvironment", variables));
    return bind(file);
  }

  private PocketwatchProperties bind(Map<String, Object> file) {
    environment.getPropertySources().remove("file");
    environment.getPropertySources().addLast(new MapPropertySource("file", file));
    return Binder.get(environment)
        .bindOrCreate("pocketwatch", Bindable.of(PocketwatchProperties.class));
  }

  /** As YAML says when it is given a key it does not know. */
  private static List<String> allowed(String key) {
    Object wrong = "x";
    String[] path = key.split("\\.");
    for (int i = path.length - 1; i > 0; i--) {
      wrong = Map.of(path[i], wrong);
    }
    Object keys = wrong;
    return allowed(() -> DelayRoutes.of(Map.of(path[0], keys), "test"));
  }

  private static List<String> allowed(Runnable wrong) {
    try {
      wrong.run();
    } catch (RuntimeException e) {
      String message = e.getMessage();
      return Stream.of(message.substring(message.indexOf("allowed: ") + 9).split(", ")).toList();
    }
    throw new AssertionError("took what cannot be known");
  }

  private static String name(JsonNode property) {
    return property.get("name").textValue().substring(PREFIX.length());
  }

  /** Every library has a file of that name; ours is the one with our keys. */
  private static List<JsonNode> metadata() throws IOException {
    List<JsonNode> ours = new ArrayList<>();
    for (URL each :
        Collections.list(
            PocketwatchPropertiesTest.class
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json"))) {
      try (InputStream in = each.openStream()) {
        for (JsonNode property : new ObjectMapper().readTree(in).path("properties")) {
          if (property.get("name").textValue().startsWith(PREFIX)) {
            ours.add(property);
          }
        }
      }
    }
    return ours;
  }
}
