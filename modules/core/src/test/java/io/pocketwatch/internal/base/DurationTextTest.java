// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @Property
  void what_is_written_reads_back_the_same(
      @ForAll long seconds, @ForAll @IntRange(max = 999) int millis) {
    Duration duration = Duration.ofSeconds(seconds, millis * 1_000_000L);

    assertThat(DurationText.parse(DurationText.format(duration))).isEqualTo(duration);
  }

  @Property
  void every_delay_is_written_in_one_unit(
      @ForAll @LongRange(min = 1, max = 315_360_000_000L) long ms) {
    Duration delay = Duration.ofMillis(ms);

    assertThat(DurationText.format(delay)).matches("[1-9]\\d*(ms|s|m|h|d)");
    assertThat(DurationText.parse(DurationText.format(delay))).isEqualTo(delay);
  }

  @ParameterizedTest
  @CsvSource({
    "10ms, PT0.01S",
    "1000ms, PT1S",
    "15s, PT15S",
    "30m, PT30M",
    "2h, PT2H",
    "31d, PT744H",
    "-5m, PT-5M",
    "0s, PT0S",
    "P1DT2H, PT26H",
    "pt30m, PT30M"
  })
  void reads(String text, Duration expected) {
    assertThat(DurationText.parse(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0ms",
    "PT0.01S, 10ms",
    "PT1.5S, 1500ms",
    "PT90S, 90s",
    "PT120S, 2m",
    "PT90M, 90m",
    "PT2H, 2h",
    "PT36H, 36h",
    "PT744H, 31d",
    "PT-5M, -5m",
    "PT1.0019999S, 1001ms",
    "PT0.0000001S, 0ms",
    "PT24000024H, PT24000024H"
  })
  void writesTheWidestUnitThatIsExact(Duration duration, String expected) {
    assertThat(DurationText.format(duration)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "30", "m", "30 m", "30M", "30min", "1h30m", "1.5h", "1e3s", "+5m", " 5m", "5m\n",
        "٣m", "PT"
      })
  void refuses(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DurationText.parse(text))
        .withMessageStartingWith("'" + text + "' is not a duration; write 10ms, 15s, 30m,");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "999999999999999999d",
        "9223372036854775808ms",
        "-9999999999999999999s",
        "PT9999999999999999999S",
        "P106751991167301D"
      })
  void saysWhatIsTooLongToCount(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DurationText.parse(text))
        .withMessage("'" + text + "' is too long: nothing can be due after the year 9999");
  }
}
