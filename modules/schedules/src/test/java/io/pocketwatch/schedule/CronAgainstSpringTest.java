// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.schedule.Recurrence.Occurrence;
import io.pocketwatch.schedule.Schedule.Gap;
import io.pocketwatch.schedule.Schedule.Repeated;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronExpression;

/**
 * Spring's wall clock, and our rule on daylight saving applied to it one time at a time, over ten
 * years.
 */
class CronAgainstSpringTest {
  private static final Instant FROM = Instant.parse("2017-01-01T00:00:00Z");
  private static final Instant TO = Instant.parse("2027-01-01T00:00:00Z");
  private static final int EXPRESSIONS = 80;
  private static final int ZONES_EACH = 4;
  private static final int COMPARED = 25;
  private static final List<String> ZONES =
      List.of(
          "UTC",
          "Europe/Berlin",
          "Europe/London",
          "Europe/Dublin",
          "Europe/Moscow",
          "Europe/Istanbul",
          "America/New_York",
          "America/Sao_Paulo",
          "America/St_Johns",
          "America/Havana",
          "America/Asuncion",
          "Africa/Cairo",
          "Africa/Casablanca",
          "Asia/Tehran",
          "Asia/Kolkata",
          "Asia/Shanghai",
          "Asia/Beirut",
          "Asia/Gaza",
          "Australia/Lord_Howe",
          "Pacific/Chatham");

  private final Random random = new Random(29);

  @Test
  void the_same_instants_as_spring_with_our_rule_for_daylight_saving() {
    int compared = 0;
    for (int i = 0; i < EXPRESSIONS; i++) {
      boolean seconds = random.nextBoolean();
      String expression = expression(seconds);
      CronExpression spring = CronExpression.parse(seconds ? expression : "0 " + expression);
      if (spring.next(LocalDateTime.of(2017, 1, 1, 0, 0)) == null) {
        continue; // such as 31 June, which is refused
      }
      for (int zone = 0; zone < ZONES_EACH; zone++) {
        String id = ZONES.get((i * ZONES_EACH + zone) % ZONES.size());
        Schedule schedule =
            Schedule.named("s")
                .route("r")
                .cron(expression)
                .zone(ZoneId.of(id))
                .gap(random.nextInt(4) == 0 ? Gap.SKIP : Gap.SHIFT)
                .repeated(random.nextInt(4) == 0 ? Repeated.BOTH : Repeated.FIRST)
                .build();
        for (Instant start : starts(schedule.zone().getRules())) {
          List<Instant> ours =
              schedule.recurrence().next(start, COMPARED).stream().map(Occurrence::at).toList();
          assertThat(ours)
              .as("%s in %s after %s, %s", expression, id, start, schedule.toJson())
              .isEqualTo(expected(spring, schedule, start));
          compared += ours.size();
        }
      }
    }
    assertThat(compared).isGreaterThan(20_000);
  }

  /** Anywhere in ten years, and shortly before changes of the offset. */
  private List<Instant> starts(ZoneRules rules) {
    List<Instant> starts = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Instant any = FROM.plusSeconds(random.nextInt((int) Duration.between(FROM, TO).toSeconds()));
      starts.add(any);
      ZoneOffsetTransition change = rules.nextTransition(any);
      if (change != null) {
        starts.add(change.getInstant().minusSeconds(random.nextInt(3 * 3_600)));
      }
    }
    return starts;
  }

  private static List<Instant> expected(CronExpression spring, Schedule schedule, Instant start) {
    ZoneRules rules = schedule.zone().getRules();
    String hours = schedule.cron().split(" ")[schedule.cron().split(" ").length - 4];
    boolean both = schedule.repeated() == Repeated.BOTH || hours.equals("*") || hours.contains("/");
    TreeSet<Instant> found = new TreeSet<>();
    // Three hours back, for those that move or come again; and as far on, so that none is missing.
    LocalDateTime local = LocalDateTime.ofInstant(start, rules.getOffset(start)).minusHours(3);
    LocalDateTime last = null;
    while (last == null || local.isBefore(last)) {
      local = spring.next(local);
      List<ZoneOffset> offsets = rules.getValidOffsets(local);
      if (offsets.isEmpty()) {
        ZoneOffsetTransition gap = rules.getTransition(local);
        boolean whole = gap.getDuration().toMinutes() % 60 == 0;
        if (schedule.gap() == Gap.SHIFT && !(hours.equals("*") && whole)) {
          found.add(gap.getInstant());
        }
      } else {
        found.add(local.toInstant(offsets.get(0)));
        if (offsets.size() == 2 && both) {
          found.add(local.toInstant(offsets.get(1)));
        }
      }
      if (last == null && found.tailSet(start, false).size() >= COMPARED) {
        last = local.plusHours(3);
      }
    }
    return found.tailSet(start, false).stream().limit(COMPARED).toList();
  }

  private String expression(boolean seconds) {
    boolean byWeek = random.nextBoolean();
    String day = byWeek ? "*" : field(1, 28, seconds);
    String week = byWeek ? week() : "*";
    String five =
        String.join(
            " ",
            field(0, 59, seconds),
            random.nextInt(3) == 0 ? "*" : field(0, 23, seconds),
            day,
            random.nextBoolean() ? "*" : field(1, 12, seconds),
            week);
    return seconds ? random.nextInt(60) + " " + five : five;
  }

  private String week() {
    return List.of("MON-FRI", "*", "0", "7", "SAT,SUN", "2", "WED").get(random.nextInt(7));
  }

  private String field(int least, int most, boolean seconds) {
    int one = least + random.nextInt(most - least + 1);
    int other = least + random.nextInt(most - least + 1);
    return switch (random.nextInt(5)) {
      case 0 -> "*/" + (1 + random.nextInt(most / 2));
      case 1 -> Math.min(one, other) + "-" + Math.max(one, other);
      case 2 -> one + "," + other;
      case 3 -> seconds && most == 28 ? "L" : Integer.toString(one);
      default -> Integer.toString(one);
    };
  }
}
