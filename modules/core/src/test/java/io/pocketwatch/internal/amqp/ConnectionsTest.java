// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** With which threads connections are opened. */
class ConnectionsTest {
  /** A client that goes no further than to its threads. */
  private static final class Threaded extends ConnectionFactory {
    final AtomicReference<ThreadFactory> threads = new AtomicReference<>();

    @Override
    public Connection newConnection(
        ExecutorService executor, AddressResolver addresses, String clientProvidedName)
        throws IOException {
      threads.set(getThreadFactory());
      throw new IOException("no broker");
    }
  }

  private static ThreadFactory threads(Threaded factory) {
    assertThatThrownBy(() -> new Connections(factory, List::of).open("test"))
        .hasMessage("no broker");
    return factory.threads.get();
  }

  @Test
  void their_threads_keep_no_application_alive() {
    Thread thread = threads(new Threaded()).newThread(() -> {});
    assertThat(thread.isDaemon()).isTrue();
    assertThat(thread.getName()).startsWith("pocketwatch-amqp");
  }

  @Test
  void threads_of_the_users_own_stay() {
    Threaded factory = new Threaded();
    ThreadFactory own = task -> new Thread(task, "own");
    factory.setThreadFactory(own);
    assertThat(threads(factory)).isSameAs(own);
  }
}
