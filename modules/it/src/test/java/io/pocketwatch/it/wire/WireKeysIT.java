// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Without a broker: the examples steer as core does, whatever the delay and the target. */
class WireKeysIT {
  private static final int EACH = 4_000;
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final List<Long> TTL_QUEUES = List.of(500L, 900_000L, 1_800_000L);

  /** In ms; 10 is the wheel's own. */
  private static final List<Long> RESOLUTIONS = List.of(10L, 100L, 1_000L, 15_000L, 60_000L);

  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @EnumSource
  void the_same_way_as_cores(Language language) throws Exception {
    Random random = new Random(42);
    List<Asked> asked = new ArrayList<>();
    for (long resolution : RESOLUTIONS) {
      for (long delay : delays(random)) {
        asked.add(new Asked(target(random), delay, resolution));
      }
    }
    StringBuilder input = new StringBuilder(JSON.writeValueAsString(TTL_QUEUES)).append('\n');
    for (Asked each : asked) {
      input.append(each.json()).append('\n');
    }

    Program answered = language.drive(input.toString(), "ways");

    assertThat(answered.ok()).as(answered.errors()).isTrue();
    List<String> lines = answered.lines();
    assertThat(lines).hasSameSizeAs(asked);
    for (int i = 0; i < lines.size(); i++) {
      assertThat(JSON.readValue(lines.get(i), Object.class))
          .as("%s", asked.get(i))
          .isEqualTo(planned(asked.get(i)));
    }
  }

  /** The edges of every hand, what comes right before and after them, and as many at random. */
  private static List<Long> delays(Random random) {
    List<Long> delays = new ArrayList<>(TTL_QUEUES);
    for (long unit : new long[] {10, 1_000, 60_000, 3_600_000, DAY}) {
      for (long times : new long[] {1, 2, 9, 23, 24, 30, 31, 59, 60, 99, 100}) {
        for (long beside = -11; beside <= 11; beside++) {
          delays.add(times * unit + beside);
        }
      }
    }
    while (delays.size() < EACH) {
      // As many of each length: seconds as often as weeks.
      delays.add((long) Math.exp(random.nextDouble() * Math.log(31d * DAY)));
    }
    delays.addAll(List.of(-1L, 0L, 1L, 31 * DAY));
    delays.removeIf(delay -> delay > 31 * DAY);
    return delays;
  }

  /** Names that are plain, that have to be escaped, that are long, and the default exchange. */
  private static String target(Random random) {
    if (random.nextInt(10) == 0) {
      return "";
    }
    String letters = "abcXYZ019_-.:/ ~*#é€😀"; // ends with two chars that are one character
    StringBuilder name = new StringBuilder("x");
    int length = random.nextInt(20) == 0 ? 80 : 12;
    for (int i = 0; i < length; i++) {
      int at = random.nextInt(letters.length() - 1);
      name.append(at == letters.length() - 2 ? "😀" : letters.substring(at, at + 1));
    }
    return name.toString();
  }

  private static List<Object> planned(Asked asked) {
    Instant now = Instant.ofEpochMilli(1_700_000_000_000L);
    DelayRoute route =
        DelayRoute.defaults().toBuilder()
            .resolution(Duration.ofMillis(asked.resolution))
            .delays(TTL_QUEUES.stream().map(Duration::ofMillis).toArray(Duration[]::new))
            .build();
    DelayPlanner planner =
        new DelayPlanner(
            DelayRoutes.builder().defaults(route).build(), BrokerCapabilities.unknown("guest"));
    DelayedMessage message =
        DelayedMessage.to(asked.exchange, "key").delay(Duration.ofMillis(asked.delay));
    PublishPlan plan = planner.plan(planner.accept(message, now), now);
    Map<String, Object> headers =
        Objects.requireNonNullElse(plan.properties().getHeaders(), Map.of());
    return List.of(plan.exchange(), headers.getOrDefault("BCC", List.of()));
  }

  private record Asked(String exchange, long delay, long resolution) {
    String json() throws JsonProcessingException {
      return JSON.writeValueAsString(List.of(exchange, delay, resolution));
    }
  }
}
