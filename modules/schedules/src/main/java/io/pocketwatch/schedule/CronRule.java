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
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A cron expression on a wall clock that is never put forward or back. */
final class CronRule {
  private static final CronParser FIVE_FIELDS = parser(CronType.UNIX);
  private static final CronParser SIX_FIELDS = parser(CronType.SPRING53);

  private final Cron cron;
  private final ExecutionTime times;

  private CronRule(Cron cron) {
    this.cron = cron;
    this.times = ExecutionTime.forCron(cron);
  }

  /**
   * @throws IllegalArgumentException if it is no cron expression, or names no day that exists
   */
  static CronRule of(String expression) {
    int fields = expression.trim().split("\\s+").length;
    boolean nickname = expression.startsWith("@");
    if (fields != 5 && fields != 6 && !nickname) {
      throw new IllegalArgumentException(
          "cron '%s' has %d fields; allowed: 5, or 6 with the second first"
              .formatted(expression, fields));
    }
    CronRule rule;
    try {
      rule = new CronRule((fields == 5 ? FIVE_FIELDS : SIX_FIELDS).parse(expression).validate());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "cron '%s' is not understood: %s".formatted(expression, ErrorWords.of(e)), e);
    }
    if (rule.after(LocalDateTime.of(2000, 1, 1, 0, 0)) == null) {
      throw new IllegalArgumentException(
          "cron '%s' never fires: no month has such a day".formatted(expression));
    }
    return rule;
  }

  private static CronParser parser(CronType type) {
    return new CronParser(CronDefinitionBuilder.instanceDefinitionFor(type));
  }

  /** The next time later than this one, or null if there is none. */
  @Nullable LocalDateTime after(LocalDateTime time) {
    return times
        .nextExecution(time.truncatedTo(ChronoUnit.SECONDS).atZone(ZoneOffset.UTC))
        .map(ZonedDateTime::toLocalDateTime)
        .orElse(null);
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
    return CronDescriptor.instance(locale).describe(cron);
  }
}
