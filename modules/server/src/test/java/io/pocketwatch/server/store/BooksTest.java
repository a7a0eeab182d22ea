// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.LoadingStore.DayBooks;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BooksTest {
  private static final LocalDate DAY = LocalDate.of(2026, 1, 31);
  private static final DayBooks MAIL =
      new DayBooks("mail", 3, Map.of(MessageState.SETTLED, 2L, MessageState.HELD, 1L));
  private static final DayBooks ORDERS =
      new DayBooks("orders", 1_000, Map.of(MessageState.CANCELLED, 1_000L));

  @Test
  void a_row_per_route_and_a_total() {
    Books books = new Books(DAY, ZoneOffset.UTC, true, List.of(MAIL, ORDERS), 0);

    assertThat(books.table())
        .containsExactly(
            "route   scheduled  settled  cancelled  failed  parked  held  pending",
            "mail            3        2          0       0       0     1        0",
            "orders      1,000        0      1,000       0       0     0        0",
            "all         1,003        2      1,000       0       0     1        0");
    assertThat(books.balanced()).isTrue();
    assertThat(books.verdict())
        .isEqualTo("The books of 2026-01-31 (UTC) balance: all 1,003 messages accounted for.");
  }

  @Test
  void what_is_still_under_way_does_not_balance() {
    Books books = new Books(DAY, ZoneOffset.UTC, true, List.of(MAIL), 1);

    assertThat(books.balanced()).isFalse();
    assertThat(books.verdict()).contains("do not balance", "1 message due before now");
    assertThat(books.json()).containsEntry("balanced", false).containsEntry("stillUnderWay", 1L);
  }

  @Test
  void states_that_do_not_add_up_do_not_balance() {
    DayBooks wrong = new DayBooks("mail", 3, Map.of(MessageState.SETTLED, 2L));
    Books books = new Books(DAY, ZoneOffset.UTC, true, List.of(wrong), 0);

    assertThat(books.balanced()).isFalse();
    assertThat(books.verdict()).contains("the states of mail do not add up");
  }
}
