// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.jdbc.TransactionalPublisher;
import io.pocketwatch.store.jdbc.TransactionalPublisher.InTransaction;
import io.pocketwatch.tracking.TrackedPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The Java of recipes.md, compiled here and run by {@link StoreReadmeIT}. */
final class RecipeSnippets {
  private RecipeSnippets() {}

  static void reminder(DelayedPublisher pocketwatch, String customer, ZoneId zone) {
    ZonedDateTime tomorrowAtNine = ZonedDateTime.now(zone).plusDays(1).with(LocalTime.of(9, 0));
    pocketwatch.publish(
        DelayedMessage.to("reminders", "mail")
            .id("reminder-" + customer)
            .businessKey(customer)
            .deliverAt(tomorrowAtNine.toInstant()));
  }

  static void retry(DelayedPublisher pocketwatch, int failures, byte[] body) {
    List<Duration> pauses =
        List.of(
            Duration.ofSeconds(1),
            Duration.ofSeconds(10),
            Duration.ofMinutes(1),
            Duration.ofMinutes(10));
    if (failures < pauses.size()) {
      pocketwatch
          .publish(
              DelayedMessage.toQueue("jobs")
                  .properties(
                      new BasicProperties.Builder()
                          .headers(Map.of("failures", failures + 1))
                          .build())
                  .body(body)
                  .delay(pauses.get(failures)))
          .join();
    }
  }

  static ChangeOutcome lastWriteWins(
      TrackedPublisher pocketwatch, DelayedMessage summary, String round) {
    Instant inTenMinutes = Instant.now().plus(Duration.ofMinutes(10));
    MessageKey key = new MessageKey("summary", round);
    ChangeOutcome moved = pocketwatch.store().reschedule(key, inTenMinutes);
    if (moved == ChangeOutcome.UNKNOWN) {
      pocketwatch.publish(summary.id(round).deliverAt(inTenMinutes)).join();
    }
    return moved;
  }

  static void several(
      TransactionalPublisher transactional, Connection connection, String order, Instant due)
      throws SQLException {
    connection.setAutoCommit(false);
    List<InTransaction> messages = new ArrayList<>();
    for (String queue : List.of("mail", "billing")) {
      DelayedMessage message = DelayedMessage.toQueue(queue).id(order).deliverAt(due);
      messages.add(transactional.publish(connection, message));
    }
    connection.commit();
    messages.forEach(InTransaction::committed);
  }

  static ChangeOutcome saga(TrackedPublisher pocketwatch, String saga) {
    MessageKey timeout = new MessageKey("saga-timeout", saga + "-payment");
    pocketwatch
        .publish(
            DelayedMessage.to("sagas", "timeout")
                .id(timeout.id())
                .businessKey(saga)
                .delay(Duration.ofHours(1)))
        .join();
    // … the answer has come:
    ChangeOutcome taken = pocketwatch.store().cancel(timeout);
    return taken;
  }
}
