// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SafeListenersTest {
  /** As any of ours. */
  interface Listener {
    default void silent(String route, long overdue) {}
  }

  private final List<String> heard = new ArrayList<>();

  @Test
  void one_that_throws_keeps_nothing_from_the_others() {
    Listener safe =
        SafeListeners.of(
            Listener.class, List.of(throwing(new NoSuchMethodError()), noting(), noting()));

    safe.silent("orders", 7);

    assertThat(heard).containsExactly("orders 7", "orders 7");
  }

  private Listener noting() {
    return new Listener() {
      @Override
      public void silent(String route, long overdue) {
        heard.add(route + " " + overdue);
      }
    };
  }

  private static Listener throwing(Error error) {
    return new Listener() {
      @Override
      public void silent(String route, long overdue) {
        throw error;
      }
    };
  }
}
