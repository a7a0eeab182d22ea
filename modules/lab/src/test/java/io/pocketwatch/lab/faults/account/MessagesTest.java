// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.lab.faults.account.Messages.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MessagesTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Messages MESSAGES =
      new Messages("round-1-", -7, 2_000, BEGIN, Messages.Span.alone(Duration.ofSeconds(20)));

  @Test
  void another_process_makes_the_same_from_a_line() {
    assertThat(Messages.parse(MESSAGES.line()).all()).isEqualTo(MESSAGES.all());
  }

  @Test
  void one_of_many_sends_until_the_next_begins_and_delays_them_all_alike() {
    Messages.Span span = Messages.Span.oneOfMany(Duration.ofSeconds(60), Duration.ofSeconds(30));
    Messages leg = new Messages("leg-1-", 3, 3_000, BEGIN, span);

    assertThat(Messages.parse(leg.line())).isEqualTo(leg);
    assertThat(leg.end()).isEqualTo(BEGIN.plusSeconds(90));
    assertThat(leg.all()).last().extracting(Message::at).isEqualTo(BEGIN.plusMillis(59_980));
    for (List<Message> half :
        List.of(leg.all().subList(0, 1_500), leg.all().subList(1_500, 3_000))) {
      assertThat(half).allMatch(message -> message.delay().compareTo(Duration.ofSeconds(30)) <= 0);
      assertThat(half).anyMatch(message -> message.delay().compareTo(Duration.ofSeconds(29)) > 0);
    }
  }

  @Test
  void every_lane_has_its_share() {
    assertThat(MESSAGES.all().stream().map(Message::lane).collect(Collectors.toSet()))
        .containsExactlyInAnyOrderElementsOf(Lane.ALL);
  }

  @Test
  void they_are_sent_in_order_and_due_after_that() {
    List<Message> all = MESSAGES.all();

    assertThat(all).extracting(Message::at).isSorted();
    assertThat(all)
        .allSatisfy(
            message -> {
              assertThat(message.delay()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
              assertThat(message.due()).isBeforeOrEqualTo(BEGIN.plusSeconds(22));
            });
  }
}
