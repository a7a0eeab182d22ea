// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class TaskBookTest {
  private static final Instant DUE = Instant.parse("2026-01-31T08:00:00Z");

  private final TaskBook book = new TaskBook();

  @Test
  void each_task_has_one_fate() {
    for (String id : new String[] {"arrived", "cancelled", "moved", "lost", "early", "twice"}) {
      book.scheduled(id, DUE);
    }
    Instant later = DUE.plusSeconds(5);
    book.handled("arrived", DUE, DUE);
    book.cancelled("cancelled");
    book.moved("moved", later);
    book.handled("moved", later, later.plusMillis(3));
    book.handled("early", DUE, DUE.minusMillis(1));
    book.handled("twice", DUE, DUE);
    book.handled("twice", DUE, DUE.plusMillis(9));
    book.handled("of an earlier demo", DUE, DUE);

    assertThat(book.counts()).isEqualTo(new StoreCounts(6, 4, 1, 1, 1, 1, 1, 0));
    assertThat(book.counts().sound()).isFalse();
    assertThat(book.open()).isEqualTo(1);
    assertThat(book.lastDue()).isEqualTo(later);
  }

  @Test
  void what_should_not_have_been_handled_is_unexplained() {
    book.scheduled("cancelled", DUE);
    book.scheduled("moved", DUE);
    book.cancelled("cancelled");
    book.moved("moved", DUE.plusSeconds(5));
    book.handled("cancelled", DUE, DUE);
    book.handled("moved", DUE, DUE);

    assertThat(book.counts()).isEqualTo(new StoreCounts(2, 0, 0, 1, 0, 0, 0, 2));
    assertThat(ReportLines.verdict(book.counts()))
        .isEqualTo("Store, not as promised: 2 unexplained.");
  }
}
