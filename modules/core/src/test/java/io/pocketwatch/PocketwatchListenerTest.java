// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PocketwatchListenerTest {
  private static final PocketwatchEvent EVENT =
      new PublisherEvent.NativeHoldSeen(NativeHold.NOT_ASKED);

  private final List<PocketwatchEvent> heard = new ArrayList<>();

  @Test
  void one_that_throws_keeps_nothing_from_the_others() {
    PocketwatchListener older =
        event -> {
          throw new NoSuchMethodError();
        };
    PocketwatchListener wrong =
        event -> {
          throw new IllegalStateException();
        };

    PocketwatchListener.all(List.of(older, heard::add, wrong, heard::add)).onEvent(EVENT);

    assertThat(heard).containsExactly(EVENT, EVENT);
  }

  @Test
  void nobody_is_nobody() {
    assertThat(PocketwatchListener.all(List.of(PocketwatchListener.NONE)))
        .isSameAs(PocketwatchListener.NONE);
  }
}
