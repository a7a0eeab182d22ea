// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundAccountTest {
  private static final Instant DUE = Instant.parse("2026-01-01T00:00:00Z");
  private static final Arrivals.Summary NO_TROUBLE = new Arrivals.Summary(Map.of(), 0);

  @Test
  void each_message_handled_once_and_in_time_is_sound() {
    RoundResult result =
        account(Map.of("a", DUE.toEpochMilli(), "b", DUE.toEpochMilli() + 40), NO_TROUBLE);

    assertThat(result.sound()).isTrue();
    assertThat(result.handled()).isEqualTo(2);
    assertThat(result.worstLatenessMs()).isEqualTo(40);
  }

  @Test
  void a_confirmed_message_without_effect_is_lost() {
    RoundResult result = account(Map.of("a", DUE.toEpochMilli()), NO_TROUBLE);

    assertThat(result.lost()).isEqualTo(1);
    assertThat(result.sound()).isFalse();
  }

  @Test
  void a_millisecond_early_is_early() {
    RoundResult result =
        account(Map.of("a", DUE.toEpochMilli() - 1, "b", DUE.toEpochMilli()), NO_TROUBLE);

    assertThat(result.early()).isEqualTo(1);
    assertThat(result.sound()).isFalse();
  }

  @Test
  void a_message_nobody_took_is_not_lost_but_not_sound_either() {
    List<LedgerEntry> entries = List.of(new LedgerEntry("a", LedgerRoute.WHEEL, DUE));
    RoundResult result =
        new RoundAccount(entries, Map.of()).result(3, 0, NO_TROUBLE, 0, 0, Map.of());

    assertThat(result.lost()).isZero();
    assertThat(result.uncertain()).isEqualTo(3);
    assertThat(result.sound()).isFalse();
  }

  @Test
  void a_copy_more_is_no_broken_promise_but_a_second_effect_is() {
    Map<String, Long> effects = Map.of("a", DUE.toEpochMilli(), "b", DUE.toEpochMilli());
    Arrivals.Summary twice = new Arrivals.Summary(Map.of(Arrivals.Step.SKIPPED, 1), 1);
    Arrivals.Summary second = new Arrivals.Summary(Map.of(Arrivals.Step.SECOND_EFFECT, 1), 1);

    assertThat(account(effects, twice).duplicateDeliveries()).isEqualTo(1);
    assertThat(account(effects, twice).sound()).isTrue();
    assertThat(account(effects, second).duplicateEffects()).isEqualTo(1);
    assertThat(account(effects, second).sound()).isFalse();
  }

  private static RoundResult account(Map<String, Long> effects, Arrivals.Summary arrivals) {
    List<LedgerEntry> entries =
        List.of(
            new LedgerEntry("a", LedgerRoute.WHEEL, DUE),
            new LedgerEntry("b", LedgerRoute.TEMPORARY, DUE));
    entries.forEach(LedgerEntry::confirm);
    return new RoundAccount(entries, effects).result(0, 0, arrivals, 0, 0, Map.of());
  }
}
