// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.OverviewStore.LostChanges;
import io.pocketwatch.store.jdbc.LostCommits.Position;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Places of confirmed commits, and what servers say of where they began. */
class LostCommitsTest {
  private static final long ONE = 4711;

  private final LostCommits commits =
      new LostCommits(
          new Sql(new Tables(Tables.DEFAULT_PREFIX), new PostgreSqlDialect(true)),
          System::nanoTime);

  @Test
  void a_stand_by_that_took_over_before_a_confirmed_commit_has_lost_it() {
    confirmed(1, 500, null);
    confirmed(2, 480, 450L);
    assertThat(commits.lost())
        .isEqualTo(new LostChanges(Instant.ofEpochMilli(450), Instant.ofEpochMilli(500)));
  }

  @Test
  void one_that_took_over_behind_it_has_not() {
    confirmed(1, 500, null);
    confirmed(2, 900, 510L);
    confirmed(3, 1_900, 1_000L);
    assertThat(commits.lost()).isNull();
  }

  @Test
  void nor_has_a_server_that_recovered_from_a_crash_or_was_restarted() {
    confirmed(2, 500, 100L);
    confirmed(2, 700, 600L); // recovered from a crash
    confirmed(2, 900, null); // restarted
    confirmed(2, 950, 100L);
    assertThat(commits.lost()).isNull();
  }

  /** Its answer was on the way while the other one took over. */
  @Test
  void a_late_answer_of_the_old_server_is_no_loss() {
    confirmed(1, 500, null);
    confirmed(2, 900, 510L);
    confirmed(1, 505, null);
    assertThat(commits.lost()).isNull();
  }

  @Test
  void an_old_primary_that_goes_on_beside_the_new_one_loses_what_it_takes() {
    confirmed(1, 500, null);
    confirmed(2, 600, 510L);
    confirmed(1, 520, null);
    assertThat(commits.lost())
        .isEqualTo(new LostChanges(Instant.ofEpochMilli(510), Instant.ofEpochMilli(520)));
  }

  @Test
  void a_loss_is_still_known_after_a_later_fail_over_without_one() {
    confirmed(1, 500, null);
    confirmed(2, 600, 400L);
    confirmed(3, 700, 650L);
    assertThat(commits.lost()).isNotNull();
  }

  @Test
  void another_database_has_a_log_of_its_own() {
    confirmed(1, 500, null);
    commits.confirmed(new Position(ONE + 1, 2, 40, 30L, 40, 30L));
    assertThat(commits.lost()).isNull();
  }

  @Test
  void when_the_last_kept_change_was_made_may_be_unknown() {
    confirmed(1, 500, null);
    commits.confirmed(new Position(ONE, 2, 480, 450L, 480, null));
    assertThat(commits.lost()).isEqualTo(new LostChanges(null, Instant.ofEpochMilli(500)));
  }

  /** Clocks are as the places, to keep the numbers few. */
  private void confirmed(long timeline, long at, @Nullable Long began) {
    commits.confirmed(new Position(ONE, timeline, at, began, at, began));
  }
}
