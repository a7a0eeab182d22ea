// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoaderPresenceTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void a_loader_that_went_quiet_does_not_load() {
    List<LoaderHeartbeat> beats = List.of(beat("a", 41), beat("b", 3_600));
    LoaderPresence presence = LoaderPresence.of(beats, NOW);

    assertThat(presence.anybody()).isFalse();
    assertThat(presence.last()).contains(beats.get(0));
  }

  @Test
  void the_first_of_those_alive_recovers() {
    List<LoaderHeartbeat> beats = List.of(beat("c", 1), beat("b", 39), beat("a", 41));

    assertThat(LoaderPresence.of(beats, NOW).alive()).isEqualTo(2);
    assertThat(LoaderPresence.first(beats, NOW)).contains("b");
    assertThat(LoaderPresence.first(List.of(), NOW)).isEmpty();
  }

  /** Of a dead one, whose database's clock was ahead: nobody would recover for so long. */
  @Test
  void one_from_the_future_is_not_alive() {
    List<LoaderHeartbeat> beats = List.of(beat("a", -3_600), beat("b", 1));

    assertThat(LoaderPresence.of(beats, NOW).alive()).isEqualTo(1);
    assertThat(LoaderPresence.first(beats, NOW)).contains("b");
  }

  private static LoaderHeartbeat beat(String owner, int secondsAgo) {
    return new LoaderHeartbeat(owner, NOW.minusSeconds(secondsAgo), NOW, 0, null, null);
  }
}
