// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PropertyMapsTest {
  @Test
  void maps_of_numbers_are_lists() {
    assertThat(
            PropertyMaps.of(
                Map.of("routes", Map.of("t", Map.of("delays", Map.of("0", "15m", "1", "30m")))),
                Map.of(),
                Map.of()))
        .isEqualTo(Map.of("routes", Map.of("t", Map.of("delays", List.of("15m", "30m")))));
  }

  @Test
  void the_environment_counts_over_files_and_what_is_given_over_the_environment() {
    Map<String, Object> properties =
        PropertyMaps.of(
            Map.of("publisher", Map.of("channels", 2, "confirm-timeout", "5s")),
            Map.of(
                "POCKETWATCH_PUBLISHER_CONFIRMTIMEOUT", "7s",
                "POCKETWATCH_LOADER_ENABLED", "false",
                "POCKETWATCH_NAMEPREFIX", "mine"),
            Map.of("publisher", Map.of("max-in-flight", 9), "name-prefix", "given"));
    PocketwatchSettings settings = PocketwatchSettings.of(properties);
    assertThat(settings.routes().publisher().confirmTimeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(settings.routes().publisher().channels()).isEqualTo(2);
    assertThat(settings.routes().hold().namePrefix()).isEqualTo("given");
    assertThat(settings.routes().publisher().maxInFlight()).isEqualTo(9);
    assertThat(settings.load()).isFalse();
  }

  @Test
  void a_dash_may_be_an_underscore_in_the_environment_where_it_is_not_left_out() {
    PocketwatchSettings settings =
        PocketwatchSettings.of(
            PropertyMaps.of(
                Map.of(),
                Map.of(
                    "POCKETWATCH_NAME_PREFIX", "mine",
                    "POCKETWATCH_PUBLISHER_CONFIRM_TIMEOUT", "7s",
                    "POCKETWATCH_PUBLISHER_MAX_IN_FLIGHT", "8",
                    "POCKETWATCH_PUBLISHER_MAXINFLIGHT", "9"),
                Map.of()));
    assertThat(settings.routes().hold().namePrefix()).isEqualTo("mine");
    assertThat(settings.routes().publisher().confirmTimeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(settings.routes().publisher().maxInFlight()).isEqualTo(9);
  }

  @Test
  void variables_of_our_tools_are_no_properties() {
    assertThat(
            PropertyMaps.of(
                Map.of(),
                Map.of(
                    "POCKETWATCH_BROKER", "amqp://localhost",
                    "POCKETWATCH_BROKER_4_3", "amqp://localhost",
                    "POCKETWATCH_STORE_PASSWORD", "secret",
                    "POCKETWATCH_ROUTES", "x",
                    "POCKETWATCH_JAVA_OPTS", "-Xmx1g"),
                Map.of()))
        .isEmpty();
  }
}
