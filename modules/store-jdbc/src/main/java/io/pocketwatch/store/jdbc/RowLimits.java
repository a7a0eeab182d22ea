// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Postponement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The limits of columns, checked before the database is asked, so that all databases agree. */
final class RowLimits {
  static final int ROUTE = 100;
  static final int ID = 200;
  static final int BUSINESS_KEY = 200;
  static final int NAME = 255;
  static final int OWNER = 200;
  static final int CONSUMER = 255;
  static final int QUEUE = 255;
  static final int REASON = 2000;
  static final int SCHEDULE = 100;
  static final int NOTE = 500;
  static final int DEFINITION = 4_000;
  static final int PAYLOAD = 1_000_000;

  private RowLimits() {}

  static void message(ScheduledMessage message) {
    text("route", message.key().route(), 1, ROUTE);
    text("id", message.key().id(), 1, ID);
    if (message.businessKey() != null) {
      text("business key of " + message.key(), message.businessKey(), 0, BUSINESS_KEY);
    }
    text("exchange of " + message.key(), message.exchange(), 0, NAME);
    text("routing key of " + message.key(), message.routingKey(), 0, NAME);
  }

  static String schedule(String name) {
    return text("schedule name", name, 1, SCHEDULE);
  }

  static void schedule(StoredSchedule schedule) {
    String of = " of schedule " + schedule(schedule.name());
    length("definition" + of, schedule.definition(), DEFINITION);
    length("payload" + of, schedule.payload(), PAYLOAD);
    length("problem" + of, schedule.problem(), NOTE);
    length("note" + of, schedule.note(), NOTE);
    actor(schedule.changedBy());
    MessageKey last = schedule.lastKey();
    if (last != null) {
      text("last route" + of, last.route(), 1, ROUTE);
      text("last id" + of, last.id(), 1, ID);
    }
  }

  /** A text that is not compared may end with a blank. */
  private static void length(String what, @Nullable String value, int most) {
    if (value != null && (value.length() > most || value.indexOf('\0') >= 0)) {
      throw new IllegalArgumentException(
          "%s has %s characters; allowed: up to %s, none of them NUL"
              .formatted(what, value.length(), most));
    }
  }

  /** Whether a row can have that key. Databases would take some others for one that has a row. */
  static boolean possible(MessageKey key) {
    return possible(key.route()) && possible(key.id());
  }

  /** MySQL compares without trailing blanks, PostgreSQL has no NUL: two texts could become one. */
  static boolean possible(String text) {
    return text.indexOf('\0') < 0 && !text.endsWith(" ");
  }

  static String owner(String owner) {
    return text("owner", owner, 1, OWNER);
  }

  static @Nullable String actor(@Nullable String actor) {
    return actor == null ? null : text("actor", actor, 1, OWNER);
  }

  static String consumer(String consumer) {
    return text("consumer", consumer, 1, CONSUMER);
  }

  static Postponement postponement(Postponement next) {
    text("queue", next.queue(), 1, QUEUE);
    return next;
  }

  static long millis(Duration length) {
    if (length.isNegative() || length.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException("a length of " + length + "; allowed: PT0S to 365 days");
    }
    return length.toMillis();
  }

  static void batch(int size, int most) {
    if (size > most) {
      throw new IllegalArgumentException(size + " at once; allowed: up to " + most);
    }
  }

  static int limit(int limit, int most) {
    if (limit < 1 || limit > most) {
      throw new IllegalArgumentException("limit " + limit + "; allowed: 1 to " + most);
    }
    return limit;
  }

  /** A reason is for people: its beginning says enough, and it must never stand in the way. */
  static String reason(String reason) {
    String clean = reason.replace('\0', ' ');
    return clean.length() <= REASON ? clean : clean.substring(0, REASON - 1) + "…";
  }

  private static String text(String what, String value, int least, int most) {
    if (value.length() < least || value.length() > most) {
      throw new IllegalArgumentException(
          "%s '%s' has %s characters; allowed: %s to %s"
              .formatted(what, value, value.length(), least, most));
    }
    if (!possible(value)) {
      throw new IllegalArgumentException(what + " '" + value + "' has a NUL or ends with a blank");
    }
    return value;
  }
}
