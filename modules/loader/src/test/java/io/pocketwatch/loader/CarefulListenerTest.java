// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CarefulListenerTest {
  private final List<String> heard = new ArrayList<>();

  @Test
  void one_that_throws_keeps_nothing_from_the_others() {
    LoaderListener careful =
        new CarefulListener(List.of(throwing(new NoSuchMethodError()), noting(), noting()));

    careful.silent("orders", 7);

    assertThat(heard).containsExactly("orders 7", "orders 7");
  }

  private LoaderListener noting() {
    return new LoaderListener() {
      @Override
      public void silent(String route, long overdue) {
        heard.add(route + " " + overdue);
      }
    };
  }

  private static LoaderListener throwing(Error error) {
    return new LoaderListener() {
      @Override
      public void silent(String route, long overdue) {
        throw error;
      }
    };
  }
}
