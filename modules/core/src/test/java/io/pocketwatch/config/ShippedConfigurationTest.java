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
  void everyValueItCallsADefaultIsTheDefault() {
    DelayRoutes routes = DelayRoutes.load(FILE);

    assertThat(routes.hold()).isEqualTo(HoldOptions.defaults());
    assertThat(routes.publisher()).isEqualTo(PublisherOptions.defaults());
    assertThat(routes.defaults()).isEqualTo(DelayRoute.defaults());
  }

  @Test
  void itsRoutesAreTheOnesInTheReadme() {
    assertThat(DelayRoutes.load(FILE).routes())
        .containsExactly(
            DelayRoute.to("order-timeout", "orders", "order.timeout")
                .withDelays(Duration.ofMinutes(15), Duration.ofMinutes(30))
                .withDefaultDelay(Duration.ofMinutes(30)),
            DelayRoute.toExchange("payment-reminder", "payments")
                .withStrategy(DelayStrategy.QUEUE_WHEEL)
                .withResolution(Duration.ofSeconds(1))
                .withIsolation(Isolation.DESTINATION),
            DelayRoute.to("invoice-mail", "", "invoice-mail")
                .withDelays(Duration.ofDays(1))
                .withUserExpiration(UserExpiration.DROP));
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
