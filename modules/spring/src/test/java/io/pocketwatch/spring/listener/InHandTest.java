// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.HandlingEnd;
import io.pocketwatch.store.Ended;
import io.pocketwatch.store.Ending;
import io.pocketwatch.store.HandOver;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How one delivery ends. */
class InHandTest {
  private final List<Ending.Kind> asked = new CopyOnWriteArrayList<>();
  private final List<Boolean> monitors = new CopyOnWriteArrayList<>();
  private final Thread asking = Thread.currentThread();
  private DeliveryGuard guard;
  private InHand inHand;

  @BeforeEach
  void begin() {
    MessageKey key = new MessageKey("timeout", "17");
    SettlingStore store =
        stub(
            SettlingStore.class,
            arguments -> {
              asked.add(((Ending) ((List<?>) arguments[0]).get(0)).kind());
              monitors.add(holdsMonitor(asking, inHand));
              return List.of(Ended.APPLIED);
            });
    guard =
        new DeliveryGuard(store, stub(HandOver.class, arguments -> null), GuardOptions.defaults());
    inHand = new InHand(guard, "work", 1, key, new Handling(key, "work", "token"), () -> true);
  }

  @AfterEach
  void close() {
    guard.close();
  }

  @SuppressWarnings("unchecked")
  private static <T> T stub(Class<T> type, Function<Object[], Object> answer) {
    return (T)
        Proxy.newProxyInstance(
            InHandTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answer.apply(arguments));
  }

  private static boolean holdsMonitor(Thread thread, Object monitor) {
    ThreadInfo info =
        ManagementFactory.getThreadMXBean()
            .getThreadInfo(new long[] {thread.getId()}, true, false)[0];
    return Arrays.stream(info.getLockedMonitors())
        .anyMatch(each -> each.getIdentityHashCode() == System.identityHashCode(monitor));
  }

  /** A virtual thread that waits for the store in a monitor keeps its carrier, up to Java 23. */
  @ParameterizedTest
  @ValueSource(strings = {"settle", "fail", "abandon"})
  void the_store_is_asked_once_and_in_no_monitor(String how) {
    for (int time = 0; time < 2; time++) {
      assertThat(end(how)).isEqualTo(HandlingEnd.APPLIED);
    }
    assertThat(asked).containsExactly(kind(how));
    assertThat(monitors).containsExactly(false);
  }

  private static Ending.Kind kind(String how) {
    return switch (how) {
      case "settle" -> Ending.Kind.SETTLE;
      case "fail" -> Ending.Kind.FAIL;
      default -> Ending.Kind.RELEASE;
    };
  }

  private HandlingEnd end(String how) {
    return switch (how) {
      case "settle" -> inHand.settle();
      case "fail" -> inHand.fail(new IllegalStateException("no stock"));
      default -> inHand.abandon();
    };
  }
}
