// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokerClockTest {
  private static final Instant SENT = Instant.parse("2026-01-31T12:00:00.700Z");
  private static final Instant ARRIVED = SENT.plusMillis(900);

  /** The broker's second, in seconds after 12:00, and what is certain of its clock. */
  @ParameterizedTest
  @CsvSource({
    "0, 0, false", // up to 12:00:01, after it was sent
    "1, 0, false",
    "2, 400, false",
    "3, 1400, false",
    "4, 2400, true",
    "3600, 3598400, true",
    "-1, -700, false",
    "-3, -2700, true",
    "-3600, -3599700, true"
  })
  void tells_what_is_certain(long second, long aheadMillis, boolean wrong) {
    BrokerClock clock =
        BrokerClock.of(headers("hold", second), "hold", SENT, ARRIVED).orElseThrow();

    assertThat(clock.ahead()).isEqualTo(Duration.ofMillis(aheadMillis));
    assertThat(clock.isWrong()).isEqualTo(wrong);
  }

  @Test
  void only_the_death_in_that_queue_counts() {
    assertThat(BrokerClock.of(headers("other", 3600), "hold", SENT, ARRIVED)).isEmpty();
    assertThat(BrokerClock.of(Map.of("x-death", "?"), "hold", SENT, ARRIVED)).isEmpty();
    assertThat(BrokerClock.of(null, "hold", SENT, ARRIVED)).isEmpty();
  }

  @Test
  void says_which_way_it_is_off() {
    BrokerClock ahead = new BrokerClock("one", Duration.ofMillis(20_400));
    BrokerClock behind = new BrokerClock("two", Duration.ofMillis(-3_600_700));

    assertThat(ahead.description())
        .isEqualTo(
            "the broker's clock is at least 20 s ahead of this machine's, at the node that leads"
                + " one");
    assertThat(behind.description()).contains("at least 3600 s behind this machine's", "leads two");
    assertThat(BrokerClock.furthest(List.of(ahead, behind))).contains(behind);
  }

  private static Map<String, Object> headers(String queue, long second) {
    Instant time = Instant.parse("2026-01-31T12:00:00Z").plusSeconds(second);
    return Map.of(
        "x-death",
        List.of(
            Map.of("queue", "another", "time", Date.from(Instant.EPOCH)),
            Map.of("queue", queue, "time", Date.from(time))));
  }
}
