// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.HandlingEnd;
import io.pocketwatch.store.Ended;
import io.pocketwatch.store.HandOver;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How one delivery ends. */
class InHandTest {
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private DeliveryGuard guard;
  private InHand inHand;

  @BeforeEach
  void begin() {
    MessageKey key = new MessageKey("timeout", "17");
    SettlingStore store =
        stub(
            SettlingStore.class,
            method -> {
              asked.add(method);
              return List.of(Ended.APPLIED);
            });
    guard = new DeliveryGuard(store, stub(HandOver.class, method -> null), GuardOptions.defaults());
    inHand = new InHand(guard, "work", 1, key, new Handling(key, "work", "token"), () -> true);
  }

  @AfterEach
  void close() {
    guard.close();
  }

  @SuppressWarnings("unchecked")
  private static <T> T stub(Class<T> type, Function<String, Object> answer) {
    return (T)
        Proxy.newProxyInstance(
            InHandTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answer.apply(method.getName()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"settle", "fail", "abandon"})
  void the_store_is_asked_once(String how) {
    for (int time = 0; time < 2; time++) {
      assertThat(end(how)).isEqualTo(HandlingEnd.APPLIED);
    }
    assertThat(asked).containsExactly("end");
  }

  private HandlingEnd end(String how) {
    return switch (how) {
      case "settle" -> inHand.settle();
      case "fail" -> inHand.fail(new IllegalStateException("no stock"));
      default -> inHand.abandon();
    };
  }
}
