// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalBrokerOptionsTest {

  private final LocalBrokerOptions options = LocalBrokerOptions.defaults();

  @Test
  void same_wishes_are_equal_whatever_the_order() {
    assertThat(options.withPlugins(List.of("rabbitmq_prometheus", "rabbitmq_management")))
        .isEqualTo(
            options.withPlugins(
                List.of("rabbitmq_management", "rabbitmq_prometheus", "rabbitmq_management")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "latest", "4.", "v4", "4.3.6.1", "4.3-management"})
  void refusesWhatIsNoVersion(String version) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withVersion(version))
        .withMessageContaining("'" + version + "'");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 65536})
  void refusesWhatIsNoPort(int port) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withPort(port))
        .withMessageContaining("0..65535");
  }

  @Test
  void refuses_other_nonsense() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withSources(Set.of()))
        .withMessageContaining("sources");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withStartTimeout(Duration.ZERO))
        .withMessageContaining("startTimeout");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withPlugins(List.of("x].")))
        .withMessageContaining("'x].'");
  }

  @Test
  void defaults_are_tuned() {
    assertThat(options.advancedConfig())
        .contains("dead_letter_worker_consumer_prefetch,500")
        .contains("dead_letter_worker_publisher_confirm_timeout,2500");
    assertThat(options.withAdvancedConfig(null).advancedConfig()).isNull();
  }
}
