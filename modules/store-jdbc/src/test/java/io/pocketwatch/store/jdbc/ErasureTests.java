// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.ChangeNote;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page on personal data erases by business key, word for word. */
interface ErasureTests extends JdbcStoreContract {
  Path PAGE = Path.of("../docs/operate/personal-data.md");
  Pattern SQL = Pattern.compile("(?ms)^ *```sql\\n(.*?)^ *```");

  @Test
  default void the_page_erases_what_has_ended_of_one_business_key_and_nothing_else()
      throws Exception {
    String route = newRoute();
    String person = "customer-" + UUID.randomUUID();
    Instant due = store().now().minusSeconds(3);
    MessageKey settled = inserted(of(person, message(route, "settled", due)));
    sent(claimOne(route, LOADER), due);
    handlings().settle(begun(settled, "q"));
    MessageKey failed = inserted(of(person, message(route, "failed", due)));
    sent(claimOne(route, LOADER), due);
    handlings().fail(begun(failed, "q"), "no stock");
    MessageKey parked = inserted(of(person, message(route, "parked", due)));
    park(claimOne(route, LOADER), "no target");
    MessageKey sent = inserted(of(person, message(route, "sent", due)));
    sent(claimOne(route, LOADER), due);
    MessageKey handled = inserted(of(person, message(route, "handled", due)));
    sent(claimOne(route, LOADER), due);
    var handling = begun(handled, "q");
    MessageKey waiting = inserted(of(person, message(route, "waiting", due.plusSeconds(600))));
    MessageKey another = inserted(of(person + "0", message(route, "another", due)));

    MessageQuery all = MessageQuery.all().businessKey(person).limit(100);
    var cancelled = store().changeAll(all, MessageChange.cancel(), "cli:eve", each -> true);
    assertThat(cancelled.count(ChangeOutcome.BEING_HANDLED)).isOne();
    for (String each : new String[] {person, person + "0"}) {
      String subject = "business key " + each + "; PENDING, HELD"; // as commands and REST note it
      store().note(new ChangeNote(0, due, "cli:eve", "cancelled", null, subject, 4, 1));
    }
    erase(person);
    assertThat(state(handled)).as("as long as it is handled").isEqualTo(MessageState.PENDING);
    assertThat(handlings().settle(handling)).isTrue();

    erase(person);

    Stream.of(settled, failed, parked, sent, handled, waiting)
        .forEach(key -> assertThat(store().find(key)).as(key.id()).isEmpty());
    assertThat(state(another)).isEqualTo(MessageState.PENDING);
    assertThat(store().count(MessageQuery.all().businessKey(person))).isZero();
    assertThat(store().notes(null, 1000))
        .extracting(note -> String.valueOf(note.subject()))
        .filteredOn(subject -> subject.contains(person))
        .containsExactly("business key " + person + "0; PENDING, HELD");
  }

  private static ScheduledMessage of(String person, ScheduledMessage message) {
    return new ScheduledMessage(
        message.key(),
        person,
        message.exchange(),
        message.routingKey(),
        message.properties(),
        message.body(),
        message.deliverAt(),
        message.tracking());
  }

  /** Each statement of the page, for this person. */
  private void erase(String person) throws IOException, SQLException {
    List<String> statements =
        SQL.matcher(Files.readString(PAGE))
            .results()
            .flatMap(block -> Stream.of(block.group(1).split(";\\n")))
            .map(String::strip)
            .filter(each -> !each.isEmpty())
            .toList();
    assertThat(statements).hasSize(2).allMatch(each -> each.contains("customer-7"));
    try (Connection connection = dataSource().getConnection();
        Statement jdbc = connection.createStatement()) {
      for (String each : statements) {
        jdbc.execute(each.replace("customer-7", person));
      }
    }
  }
}
