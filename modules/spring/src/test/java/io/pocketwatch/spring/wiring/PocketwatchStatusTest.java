// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.BrokerClock;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PublisherStatus;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.testkit.store.StoreContract;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionBlockedEvent;
import org.springframework.amqp.rabbit.connection.ConnectionUnblockedEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** What health says of an application; its broker is away. */
class PocketwatchStatusTest implements StoreContract {
  private static final String AWAY = "the broker is not connected";

  private final AnnotationConfigApplicationContext context =
      StoreContext.with(JdbcGuardWiring.class);
  private final PocketwatchStatus status = context.getBean(PocketwatchStatus.class);
  private boolean open = true;

  @BeforeEach
  void need() {
    assertThat(status.problems()).as("before anybody needs the broker").isEmpty();
    context.getBean(DelayedPublisher.class).connect();
  }

  @AfterEach
  void close() {
    context.close();
  }

  @Override
  public DelayStore store() {
    return context.getBean(DelayStore.class);
  }

  @Test
  void springs_connections_are_a_problem_while_their_broker_has_blocked_them() {
    Connection one = connection();
    Connection other = connection();
    context.publishEvent(new ConnectionBlockedEvent(one, "low on memory"));
    context.publishEvent(new ConnectionBlockedEvent(other, "low on memory"));
    List<String> blocked =
        List.of("the broker has blocked the application's publishers: low on memory", AWAY);
    assertThat(status.problems()).isEqualTo(blocked);

    context.publishEvent(new ConnectionUnblockedEvent(one));
    assertThat(status.problems()).isEqualTo(blocked);
    context.publishEvent(new ConnectionUnblockedEvent(other));
    assertThat(status.problems()).containsExactly(AWAY);
  }

  @Test
  void one_that_was_closed_meanwhile_is_forgotten() {
    context.publishEvent(new ConnectionBlockedEvent(connection(), "low on memory"));
    open = false;
    assertThat(status.problems()).containsExactly(AWAY);
    open = true;
    assertThat(status.problems()).containsExactly(AWAY);
  }

  @Test
  void a_wrong_clock_of_the_broker_is_a_warning_and_no_problem() {
    assertThat(status.warnings()).isEmpty();

    assertThat(showing(new BrokerClock("hold", Duration.ofSeconds(2))).warnings()).isEmpty();
    assertThat(showing(new BrokerClock("hold", Duration.ofSeconds(20))).warnings())
        .containsExactly(
            "when the publisher connected last, the broker's clock is at least 20 s ahead of this"
                + " machine's, at the node that leads hold");
  }

  /** Of a publisher whose probe has shown that clock. */
  private PocketwatchStatus showing(BrokerClock clock) {
    DelayedPublisher publisher =
        (DelayedPublisher)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DelayedPublisher.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("status");
                  return new PublisherStatus(
                      true,
                      null,
                      null,
                      "4.3.6",
                      Optional.of(clock),
                      NativeHold.NOT_ASKED,
                      Set.of());
                });
    return new PocketwatchStatus(
        publisher, null, context.getBean(BlockedConnections.class), List::of);
  }

  /** Of which the events are told; nothing is sent on it. */
  private Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> proxy == arguments[0];
                  case "toString" -> "connection";
                  case "isOpen" -> open;
                  case "getDelegate" -> null;
                  default -> throw new AssertionError(method.getName());
                });
  }
}
