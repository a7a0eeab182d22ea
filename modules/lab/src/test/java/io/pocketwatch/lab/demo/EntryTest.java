// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import static io.pocketwatch.lab.demo.Messages.DUE;
import static io.pocketwatch.lab.demo.Messages.confirmed;
import static io.pocketwatch.lab.demo.Messages.delivery;
import static io.pocketwatch.lab.demo.Messages.order;
import static io.pocketwatch.lab.demo.Messages.paidOrder;
import static io.pocketwatch.lab.demo.Messages.receipt;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.PublishOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class EntryTest {

  private static final String ID = "1";

  private final Entry entry = new Entry(order(1));
  private final Entry paid = new Entry(paidOrder(1));

  @Test
  void without_any_answer_it_is_unexplained_and_open() {
    assertThat(entry.fate()).isEqualTo(Fate.UNEXPLAINED);
    assertThat(entry.open()).isTrue();
  }

  @Test
  void confirmed_and_arrived_is_delivered() {
    entry.receipt(confirmed(ID));
    assertThat(entry.fate()).isEqualTo(Fate.LOST);
    assertThat(entry.open()).isTrue();

    entry.arrived(delivery(ID), DUE.plusMillis(7));

    assertThat(entry.fate()).isEqualTo(Fate.DELIVERED);
    assertThat(entry.open()).isFalse();
    assertThat(entry.sound()).isTrue();
    assertThat(entry.lateness()).isEqualTo(Duration.ofMillis(7));
  }

  @Test
  void an_arrival_may_come_before_the_receipt() {
    entry.arrived(delivery(ID), DUE);
    assertThat(entry.open()).isTrue();

    entry.receipt(confirmed(ID));

    assertThat(entry.fate()).isEqualTo(Fate.DELIVERED);
    assertThat(entry.open()).isFalse();
  }

  @Test
  void a_nanosecond_early_is_early() {
    entry.receipt(confirmed(ID));
    entry.arrived(delivery(ID), DUE.minusNanos(1));

    assertThat(entry.sound()).isFalse();
  }

  @Test
  void lateness_is_that_of_the_first_arrival_whichever_is_told_first() {
    entry.receipt(confirmed(ID));
    entry.arrived(delivery(ID), DUE.plusMillis(9));
    entry.arrived(delivery(ID), DUE.plusMillis(3));

    assertThat(entry.lateness()).isEqualTo(Duration.ofMillis(3));
    assertThat(entry.arrivals()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    // outcome, detail, arrived, fate
    "RETURNED,  no queue,    false, UNCONFIRMED",
    "RETURNED,  no queue,    true,  UNEXPLAINED",
    "RETURNED,  '',          false, UNEXPLAINED",
    "REJECTED,  nacked,      false, UNCONFIRMED",
    "REJECTED,  nacked,      true,  UNEXPLAINED",
    "REJECTED,  ' ',         false, UNEXPLAINED",
    "UNCERTAIN, no answer,   false, UNCONFIRMED",
    "UNCERTAIN, no answer,   true,  DELIVERED",
    "UNCERTAIN, '',          false, UNEXPLAINED",
  })
  void what_the_broker_did_not_take(
      PublishOutcome outcome, String detail, boolean arrived, Fate fate) {
    entry.receipt(receipt(ID, outcome, detail));
    if (arrived) {
      entry.arrived(delivery(ID), DUE);
    }

    assertThat(entry.fate()).isEqualTo(fate);
    assertThat(entry.open()).isFalse();
  }

  @Test
  void a_publish_call_that_failed_for_a_reason() {
    entry.failure("UnknownTargetException: exchange 'orders' does not exist");

    assertThat(entry.fate()).isEqualTo(Fate.UNCONFIRMED);
    assertThat(entry.open()).isFalse();

    entry.arrived(delivery(ID), DUE);
    assertThat(entry.fate()).isEqualTo(Fate.UNEXPLAINED);
  }

  @Test
  void cancelled_must_not_arrive() {
    paid.receipt(confirmed(ID));
    assertThat(paid.open()).isTrue();
    paid.cancel(ChangeOutcome.DONE);
    assertThat(paid.fate()).isEqualTo(Fate.CANCELLED);
    assertThat(paid.open()).isFalse();
    assertThat(paid.sound()).isTrue();

    paid.arrived(delivery(ID), DUE);

    assertThat(paid.fate()).isEqualTo(Fate.UNEXPLAINED);
  }

  @ParameterizedTest
  @EnumSource(
      value = ChangeOutcome.class,
      names = {"TOO_LATE", "UNKNOWN"})
  void not_cancelled_must_arrive(ChangeOutcome answer) {
    paid.receipt(confirmed(ID));
    paid.cancel(answer);
    assertThat(paid.fate()).isEqualTo(Fate.LOST);
    assertThat(paid.open()).isTrue();

    paid.arrived(delivery(ID), DUE);

    assertThat(paid.fate()).isEqualTo(Fate.DELIVERED);
  }

  @Test
  void an_uncertain_cancel_explains_nothing_but_an_arrival() {
    paid.receipt(confirmed(ID));
    paid.cancel(ChangeOutcome.UNCERTAIN);
    assertThat(paid.fate()).isEqualTo(Fate.UNEXPLAINED);

    paid.arrived(delivery(ID), DUE);

    assertThat(paid.fate()).isEqualTo(Fate.DELIVERED);
  }

  @Test
  void an_unanswered_cancel_stays_open() {
    paid.receipt(confirmed(ID));
    paid.arrived(delivery(ID), DUE);

    assertThat(paid.open()).isTrue();
  }

  @Test
  void another_due_instant_than_the_receipt_says_is_unexplained() {
    entry.receipt(confirmed(ID));
    entry.arrived(delivery(ID, DUE.plusMillis(1)), DUE.plusMillis(5));

    assertThat(entry.fate()).isEqualTo(Fate.UNEXPLAINED);
  }
}
