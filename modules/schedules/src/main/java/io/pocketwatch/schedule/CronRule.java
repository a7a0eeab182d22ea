// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import com.cronutils.descriptor.CronDescriptor;
import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.field.CronFieldName;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.pocketwatch.internal.base.ErrorWords;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A cron expression on a wall clock that is never put forward or back. */
final class CronRule {
  private static final CronParser FIVE_FIELDS = parser(CronType.UNIX);
  private static final CronParser SIX_FIELDS = parser(CronType.SPRING53);

  private static final Pattern NEAREST = Pattern.compile("0?[1-9]W|[12]\\dW|3[01]W");
  private static final Pattern DIGIT = Pattern.compile("\\p{Nd}");
  private static final int DAY_OF_MONTH = 3;
  private static final int DAY_OF_WEEK = 5;

  /** How many times are computed before a rule is trusted. */
  private static final int LOOKED_AT = 40;

  private static final LocalDateTime FIRST = LocalDateTime.of(2000, 1, 1, 0, 0);
  private static final LocalDateTime END = LocalDateTime.of(2100, 1, 1, 0, 0);

  private final String expression;
  private final Cron cron;
  private final ExecutionTime times;

  /** The day of the month to whose nearest weekday it is bound; 31 for the last; 0 for none. */
  private final int nearest;

  private final boolean last;

  private CronRule(String expression, Cron cron, Cron timed, int nearest, boolean last) {
    this.expression = expression;
    this.cron = cron;
    this.times = ExecutionTime.forCron(timed);
    this.nearest = nearest;
    this.last = last;
  }

  /**
   * Reads an expression, and tries it.
   *
   * @throws IllegalArgumentException if it is no cron expression, names no day that exists, or one
   *     that cannot be computed
   */
  static CronRule of(String expression) {
    CronRule rule = parse(expression);
    LocalDateTime time = rule.after(FIRST);
    if (time == null) {
      throw new IllegalArgumentException(
          "cron '%s' never fires: no month has such a day".formatted(expression));
    }
    for (int i = 1; i < LOOKED_AT && time != null && time.isBefore(END); i++) {
      time = rule.after(time);
    }
    return rule;
  }

  /**
   * Reads an expression.
   *
   * @throws IllegalArgumentException if it is no cron expression
   */
  static CronRule parse(String expression) {
    String[] fields = expression.trim().split("\\s+");
    boolean nickname = expression.startsWith("@");
    if (fields.length != 5 && fields.length != 6 && !nickname) {
      throw new IllegalArgumentException(
          "cron '%s' has %s fields; allowed: 5, or 6 with the second first"
              .formatted(expression, fields.length));
    }
    if (fields.length == 6 && isOfQuartz(fields)) {
      throw new IllegalArgumentException(
          ("cron '%s' has a '?' and days of the week by number, as Quartz counts them: 2 is Monday"
                  + " there, and Tuesday here. Write names, such as MON-FRI")
              .formatted(expression));
    }
    try {
      CronParser parser = fields.length == 5 ? FIVE_FIELDS : SIX_FIELDS;
      Cron cron = parser.parse(expression).validate();
      String day = fields.length == 6 ? fields[DAY_OF_MONTH].toUpperCase(Locale.ROOT) : "";
      if (!day.contains("W")) { // with a W, the library leaves the month, or throws
        return new CronRule(expression, cron, cron, 0, false);
      }
      boolean last = day.equals("LW");
      if (!last && !NEAREST.matcher(day).matches()) {
        throw new IllegalArgumentException("allowed with a W: 1W to 31W, LW, and no list");
      }
      fields[DAY_OF_MONTH] = "*";
      Cron daily = parser.parse(String.join(" ", fields)).validate();
      return new CronRule(
          expression, cron, daily, last ? 31 : Integer.parseInt(day.replace("W", "")), last);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "cron '%s' is not understood: %s".formatted(expression, ErrorWords.of(e)), e);
    }
  }

  private static boolean isOfQuartz(String[] fields) {
    String days = fields[DAY_OF_WEEK].replaceAll("#\\d", ""); // FRI#3 is the third one
    return (fields[DAY_OF_MONTH].equals("?") || days.equals("?"))
        && days.chars().anyMatch(Character::isDigit);
  }

  /** An expression of six fields as the library reads it, days with a W too. */
  static CronRule bare(String expression) {
    Cron cron = SIX_FIELDS.parse(expression);
    return new CronRule(expression, cron, cron, 0, false);
  }

  private static CronParser parser(CronType type) {
    return new CronParser(CronDefinitionBuilder.instanceDefinitionFor(type));
  }

  /**
   * The next time later than this one, or null if there is none.
   *
   * @throws IllegalArgumentException if it cannot be computed
   */
  @Nullable LocalDateTime after(LocalDateTime time) {
    LocalDateTime found = next(time);
    while (nearest > 0 && found != null) {
      LocalDate day = weekday(YearMonth.from(found));
      if (found.toLocalDate().equals(day)) {
        return found;
      }
      YearMonth following = YearMonth.from(found).plusMonths(1);
      LocalDate from = day != null && day.isAfter(found.toLocalDate()) ? day : following.atDay(1);
      found = from.getYear() > END.getYear() ? null : next(from.atStartOfDay().minusSeconds(1));
    }
    return found;
  }

  /** The weekday nearest to its day, within the month; null if the month has no such day. */
  private @Nullable LocalDate weekday(YearMonth month) {
    int length = month.lengthOfMonth();
    if (nearest > length && !last) {
      return null;
    }
    LocalDate day = month.atDay(Math.min(nearest, length));
    return switch (day.getDayOfWeek()) {
      case SATURDAY -> day.plusDays(day.getDayOfMonth() == 1 ? 2 : -1);
      case SUNDAY -> day.plusDays(day.getDayOfMonth() == length ? -2 : 1);
      default -> day;
    };
  }

  private @Nullable LocalDateTime next(LocalDateTime time) {
    try {
      return times
          .nextExecution(time.truncatedTo(ChronoUnit.SECONDS).atZone(ZoneOffset.UTC))
          .map(ZonedDateTime::toLocalDateTime)
          .orElse(null);
    } catch (RuntimeException e) { // of the library, which names neither rule nor time
      throw new IllegalArgumentException(
          "cron '%s' tells no time after %s: %s".formatted(expression, time, ErrorWords.of(e)), e);
    }
  }

  boolean everyHour() {
    return hours().equals("*");
  }

  /** Whether its hours mean elapsed time, and not hours of a day. */
  boolean elapsed() {
    return everyHour() || hours().contains("/");
  }

  private String hours() {
    return cron.retrieve(CronFieldName.HOUR).getExpression().asString();
  }

  String words(Locale locale) {
    // The library asks for English or Chinese words, and for the JVM's own digits.
    return DIGIT
        .matcher(CronDescriptor.instance(locale).describe(cron))
        .replaceAll(digit -> String.valueOf(Character.digit(digit.group().charAt(0), 10)));
  }
}
