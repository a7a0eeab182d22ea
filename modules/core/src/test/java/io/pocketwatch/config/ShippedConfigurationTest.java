// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShippedConfigurationTest {
  static final Path FILE = Path.of("..", "..", "config", "pocketwatch.yml");

  @Test
  void every_value_it_calls_a_default_is_the_default() {
    DelayRoutes routes = DelayRoutes.load(FILE);

    assertThat(routes.hold()).usingRecursiveComparison().isEqualTo(HoldOptions.defaults());
    assertThat(routes.publisher())
        .usingRecursiveComparison()
        .isEqualTo(PublisherOptions.defaults());
    assertThat(routes.defaults()).usingRecursiveComparison().isEqualTo(DelayRoute.defaults());
  }

  @Test
  void its_routes_are_the_ones_in_the_readme() {
    assertThat(DelayRoutes.load(FILE).routes())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(
            DelayRoute.builder("order-timeout")
                .exchange("orders")
                .routingKey("order.timeout")
                .delays(Duration.ofMinutes(15), Duration.ofMinutes(30))
                .defaultDelay(Duration.ofMinutes(30))
                .build(),
            DelayRoute.builder("payment-reminder")
                .exchange("payments")
                .strategy(DelayStrategy.QUEUE_WHEEL)
                .resolution(Duration.ofSeconds(1))
                .isolation(Isolation.DESTINATION)
                .build(),
            DelayRoute.builder("invoice-mail")
                .routingKey("invoice-mail")
                .delays(Duration.ofDays(1))
                .userExpiration(UserExpiration.DROP)
                .build());
  }

  /**
   * The allowed keys are taken from the error about an unknown one, so a new key cannot be missed.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "?: 1",
        "routes: {r: {?: 1}}",
        "defaults: {?: 1}",
        "wheel: {?: 1}",
        "ttl-queues: {?: 1}",
        "temporary-queues: {?: 1}",
        "publisher: {?: 1}",
        "loader: {?: 1}"
      })
  void itShowsEveryKey(String section) throws IOException {
    String shipped = Files.readString(FILE);
    String yaml = "pocketwatch: {" + section.replace("?", "zzz") + "}";
    InvalidConfigurationException error =
        catchThrowableOfType(
            InvalidConfigurationException.class, () -> DelayRoutes.parse(yaml, "test.yml"));

    assertThat(error).hasMessageContaining("zzz: unknown key; allowed: ");
    String allowed = error.getMessage().substring(error.getMessage().indexOf("allowed: ") + 9);
    assertThat(allowed.split(", "))
        .allSatisfy(key -> assertThat(shipped).containsPattern("(?m)^ *(# )?" + key + ":"));
  }
}
