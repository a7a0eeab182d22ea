// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.NativeHold;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NativeHoldsTest {
  private static final NativeHold PASSED = NativeHold.usable(Duration.ofMillis(3));
  private static final NativeHold FAILED = NativeHold.notUsable("it let go at once", null);

  /** What happened, in order. */
  private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

  /** What the probes answer, one after another. */
  private final BlockingQueue<NativeHold> answers = new LinkedBlockingQueue<>();

  private final NativeHolds holds =
      new NativeHolds(
          connection -> {
            said.add("probed " + connection);
            return take(answers);
          },
          () -> said.add("wheel"),
          hold -> said.add("now " + hold.state()));

  @Test
  void the_first_message_of_a_connection_is_the_only_one_that_has_it_probed() {
    FakeConnection connection = new FakeConnection("theirs");
    answers.add(PASSED);

    for (int i = 0; i < 1_000; i++) {
      assertThat(holds.holds(connection.proxy)).isTrue();
    }

    assertThat(said).containsExactly("probed theirs");
  }

  @Test
  void one_that_recovers_by_itself_is_probed_again_and_is_not_listened_to_for_ever() {
    FakeConnection connection = new FakeConnection("theirs");
    for (int i = 0; i < 5; i++) {
      answers.add(i % 2 == 0 ? PASSED : FAILED);

      assertThat(holds.holds(connection.proxy)).isEqualTo(i % 2 == 0);
      assertThat(holds.holds(connection.proxy)).isEqualTo(i % 2 == 0);
      assertThat(connection.listeners).hasSize(1);
      connection.lose();
    }
    assertThat(connection.listeners).isEmpty();
    assertThat(said.stream().filter(each -> each.startsWith("probed"))).hasSize(5);
  }

  @Test
  void the_wheel_is_there_before_anybody_hears_that_it_serves() throws Exception {
    answers.add(FAILED);

    assertThat(connected("ours")).isSameAs(FAILED);

    assertThat(said).containsExactly("probed ours", "wheel", "ours: false");
  }

  @Test
  void what_a_refusal_shows_is_planned_before_it_is_forbidden() throws Exception {
    answers.add(PASSED);
    connected("ours");
    assertThat(said).containsExactly("probed ours", "ours: true");
    said.clear();
    holds.refused();
    holds.refused(); // that one is answered by the same probe
    holds.refused();
    answers.add(FAILED);

    assertThat(take(said)).isEqualTo("probed ours");
    assertThat(take(said)).isEqualTo("wheel");
    assertThat(take(said)).isEqualTo("now NOT_USABLE");
    assertThat(take(said)).isEqualTo("ours: false");
    assertThat(said).isEmpty();
  }

  @Test
  void a_refusal_that_is_over_changes_nothing_and_the_next_one_is_looked_into() throws Exception {
    answers.add(PASSED);
    connected("ours");
    said.clear();
    for (int i = 0; i < 3; i++) {
      answers.add(PASSED);
      do { // the one before may not be quite over
        holds.refused();
      } while (said.isEmpty());
      assertThat(take(said)).isEqualTo("probed ours");
      assertThat(take(said)).isEqualTo("now USABLE");
      assertThat(take(said)).isEqualTo("ours: true");
    }
  }

  @Test
  void what_is_found_of_a_connection_that_was_replaced_is_told_to_nobody() throws Exception {
    answers.add(PASSED);
    connected("first");
    holds.refused();
    assertThat(take(said)).isEqualTo("probed first");
    assertThat(take(said)).isEqualTo("first: true");
    assertThat(take(said)).isEqualTo("probed first");
    NativeHold[] second = new NativeHold[1];
    Thread connecting =
        new Thread(
            () -> {
              try {
                second[0] = connected("second");
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    connecting.start();
    assertThat(take(said)).isEqualTo("probed second");
    answers.add(PASSED); // one of them gets it
    answers.add(PASSED);
    connecting.join(10_000);

    assertThat(second[0]).isSameAs(PASSED);
    assertThat(said).containsExactly("second: true");
  }

  @Test
  void a_probe_that_cannot_be_sent_leaves_theirs_to_the_wheel_and_fails_ours() throws Exception {
    NativeHolds broken =
        new NativeHolds(
            connection -> {
              throw new IOException("no channel");
            },
            () -> said.add("wheel"),
            hold -> said.add("now " + hold.state()));

    assertThat(broken.holds(new FakeConnection("theirs").proxy)).isFalse();
    assertThatThrownBy(() -> broken.connected(new FakeConnection("ours").proxy, allowed -> {}))
        .isInstanceOf(IOException.class);
    assertThat(said).isEmpty();
  }

  private NativeHold connected(String name) throws Exception {
    return holds.connected(
        new FakeConnection(name).proxy, allowed -> said.add(name + ": " + allowed));
  }

  private static <T> T take(BlockingQueue<T> from) {
    try {
      T next = from.poll(10, TimeUnit.SECONDS);
      return java.util.Objects.requireNonNull(next, "nothing came");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Open until it is lost, and open again then, as one that recovers by itself. */
  private static final class FakeConnection {
    final List<ShutdownListener> listeners = new ArrayList<>();
    final Connection proxy;

    FakeConnection(String name) {
      proxy =
          (Connection)
              Proxy.newProxyInstance(
                  Connection.class.getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (self, method, arguments) ->
                      switch (method.getName()) {
                        case "isOpen" -> true;
                        case "addShutdownListener" -> {
                          listeners.add((ShutdownListener) arguments[0]);
                          yield null;
                        }
                        case "removeShutdownListener" -> {
                          listeners.remove(arguments[0]);
                          yield null;
                        }
                        case "equals" -> self == arguments[0];
                        case "hashCode" -> System.identityHashCode(self);
                        case "toString" -> name;
                        default -> throw new UnsupportedOperationException(method.getName());
                      });
    }

    void lose() {
      List.copyOf(listeners)
          .forEach(
              each ->
                  each.shutdownCompleted(new ShutdownSignalException(true, false, null, proxy)));
    }
  }
}
