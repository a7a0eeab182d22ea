// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.PocketwatchListener;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CarefulListenerTest {
  private final List<String> heard = new ArrayList<>();

  @Test
  void one_that_throws_keeps_nothing_from_the_others() {
    PocketwatchListener careful =
        new SafeListeners(List.of(throwing(new NoSuchMethodError()), noting(), noting()));

    careful.silent("orders", 7);

    assertThat(heard).containsExactly("orders 7", "orders 7");
  }

  private PocketwatchListener noting() {
    return new PocketwatchListener() {
      @Override
      public void silent(String route, long overdue) {
        heard.add(route + " " + overdue);
      }
    };
  }

  private static PocketwatchListener throwing(Error error) {
    return new PocketwatchListener() {
      @Override
      public void silent(String route, long overdue) {
        throw error;
      }
    };
  }
}
