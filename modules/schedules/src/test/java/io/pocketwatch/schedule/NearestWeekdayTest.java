// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.schedule.Recurrence.Occurrence;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.support.CronExpression;

/** Days that a month decides on: each against a count by the calendar, over 28 years. */
class NearestWeekdayTest {
  private static final LocalDate FROM = LocalDate.of(2024, 1, 1);
  private static final LocalDate TO = FROM.plusYears(28);

  @Test
  void the_nearest_weekday_is_in_its_month() {
    for (int day = 1; day <= 31; day++) {
      assertThat(days(day + "W")).as(day + "W").isEqualTo(nearest(day));
    }
    assertThat(days("LW")).isEqualTo(lastWeekdays());
    assertThat(days("lw")).isEqualTo(lastWeekdays());
    assertThat(days("28W")).contains(LocalDate.of(2027, 2, 26));
    assertThat(days("31W")).contains(LocalDate.of(2030, 3, 29));
  }

  /** Day by day: the weekday of the month at the least distance; ties do not happen. */
  private static List<LocalDate> nearest(int day) {
    List<LocalDate> found = new ArrayList<>();
    for (YearMonth month = YearMonth.from(FROM);
        month.atDay(1).isBefore(TO);
        month = month.plusMonths(1)) {
      if (day > month.lengthOfMonth()) {
        continue;
      }
      LocalDate best = null;
      for (int each = 1; each <= month.lengthOfMonth(); each++) {
        boolean closer =
            best == null || Math.abs(each - day) < Math.abs(best.getDayOfMonth() - day);
        best = isWeekday(month.atDay(each)) && closer ? month.atDay(each) : best;
      }
      found.add(best);
    }
    return found;
  }

  private static List<LocalDate> lastWeekdays() {
    List<LocalDate> found = new ArrayList<>();
    for (LocalDate each = FROM; each.isBefore(TO); each = each.plusDays(1)) {
      LocalDate day = each;
      boolean later =
          day.plusDays(1)
              .datesUntil(YearMonth.from(day).plusMonths(1).atDay(1))
              .anyMatch(NearestWeekdayTest::isWeekday);
      if (isWeekday(day) && !later) {
        found.add(day);
      }
    }
    return found;
  }

  private static boolean isWeekday(LocalDate day) {
    return day.getDayOfWeek() != DayOfWeek.SATURDAY && day.getDayOfWeek() != DayOfWeek.SUNDAY;
  }

  private static List<LocalDate> days(String day) {
    return Schedule.named("s")
        .route("r")
        .cron("0 0 9 " + day + " * *")
        .build()
        .recurrence()
        .next(FROM.atStartOfDay(ZoneOffset.UTC).toInstant(), 28 * 12)
        .stream()
        .map(each -> each.local().toLocalDate())
        .takeWhile(each -> each.isBefore(TO))
        .toList();
  }

  @Test
  void it_keeps_the_other_fields() {
    assertThat(next("0 0/30 8-9 15W 1,7 *", 5))
        .containsExactly(
            LocalDateTime.parse("2024-01-15T08:00"),
            LocalDateTime.parse("2024-01-15T08:30"),
            LocalDateTime.parse("2024-01-15T09:00"),
            LocalDateTime.parse("2024-01-15T09:30"),
            LocalDateTime.parse("2024-07-15T08:00"));
    assertThat(next("0 0 9 1W * MON", 2))
        .containsExactly(
            LocalDateTime.parse("2024-01-01T09:00"), LocalDateTime.parse("2024-04-01T09:00"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 0 9 0W * *", "0 0 9 32W * *", "0 0 9 1W,15W * *", "0 0 9 W * *"})
  void what_is_no_such_day_is_refused(String cron) {
    assertThatThrownBy(() -> Schedule.named("s").cron(cron))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("cron '" + cron + "' is not understood: ");
  }

  @Test
  void a_day_that_its_months_do_not_have_is_refused() {
    assertThatThrownBy(() -> Schedule.named("s").cron("0 0 9 31W 2,4 *"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("cron '0 0 9 31W 2,4 *' never fires: no month has such a day");
  }

  @ParameterizedTest
  @MethodSource("decidedByTheMonth")
  void those_of_springs_that_are_taken_fire_when_springs_do(String cron) {
    Schedule schedule;
    try {
      schedule = Schedule.named("s").route("r").cron(cron).build();
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining(cron);
      return;
    }
    CronExpression spring = CronExpression.parse(cron);
    LocalDateTime time = FROM.atStartOfDay();
    for (Occurrence each : schedule.recurrence().next(time.toInstant(ZoneOffset.UTC), 100)) {
      time = spring.next(time);
      assertThat(each.local().toLocalDateTime()).as(cron).isEqualTo(time);
    }
  }

  static Stream<String> decidedByTheMonth() {
    List<String> all = new ArrayList<>();
    for (int i = 1; i <= 27; i++) { // where February has none, Spring takes a day of January
      all.add("0 0 9 L-" + i + " * *");
    }
    for (int day = 0; day <= 7; day++) {
      all.add("0 0 9 * * " + day + "L");
      for (int which = 1; which <= 5; which++) {
        all.add("0 0 9 * * " + day + "#" + which);
      }
    }
    all.add("0 0 9 L * MON");
    all.add("0 0 9 29 2 *");
    all.add("0 0 9 29 2 MON");
    all.add("0 0 9 13 * FRI#2");
    return all.stream();
  }

  private static List<LocalDateTime> next(String cron, int count) {
    Schedule schedule = Schedule.named("s").route("r").cron(cron).build();
    return schedule.recurrence().next(Instant.parse("2024-01-01T00:00:00Z"), count).stream()
        .map(each -> each.local().toLocalDateTime())
        .toList();
  }
}
