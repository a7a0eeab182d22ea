// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testing;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.BlockedCallback;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.UnblockedCallback;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What we use of a {@link Connection}, with the client's order: channels hear of a loss first. */
final class FakeConnection {
  final Connection proxy = Fakes.as(Connection.class, this);
  final String name;
  private final FakeBroker broker;
  private final List<FakeChannel> channels = new ArrayList<>();
  private final List<ShutdownListener> shutdownListeners = new ArrayList<>();
  private final List<BlockedCallback> blocked = new ArrayList<>();
  private final List<UnblockedCallback> unblocked = new ArrayList<>();
  private @Nullable ShutdownSignalException signal;
  private boolean told;
  private boolean dying;

  FakeConnection(FakeBroker broker, String name) {
    this.broker = broker;
    this.name = name;
  }

  FakeBroker broker() {
    return broker;
  }

  @Nullable ShutdownSignalException signal() {
    return signal;
  }

  void lose(String why) {
    breakSilently(why);
    tell();
  }

  void breakSilently(String why) {
    if (signal == null) {
      signal = FakeBroker.lost(proxy, why);
    }
  }

  void tell() {
    ShutdownSignalException why = signal;
    if (why == null || told) {
      return;
    }
    told = true;
    channels.forEach(each -> each.tell(why));
    List.copyOf(shutdownListeners).forEach(each -> each.shutdownCompleted(why));
  }

  /** It still looks open, but nothing gets through. */
  void dying() {
    dying = true;
  }

  void block(String why) {
    for (BlockedCallback each : blocked) {
      try {
        each.handle(why);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  void unblock() {
    for (UnblockedCallback each : unblocked) {
      try {
        each.handle();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  // Called through the proxy

  boolean isOpen() {
    return signal == null;
  }

  @Nullable Channel createChannel() throws IOException {
    ShutdownSignalException why = signal;
    if (why != null) {
      throw new AlreadyClosedException(why);
    }
    if (dying) {
      throw new IOException("Broken pipe");
    }
    FakeChannel made = new FakeChannel(this);
    channels.add(made);
    return made.proxy;
  }

  void addShutdownListener(ShutdownListener listener) {
    shutdownListeners.add(listener);
    if (told && signal != null) {
      listener.shutdownCompleted(signal);
    }
  }

  Object addBlockedListener(BlockedCallback whenBlocked, UnblockedCallback whenUnblocked) {
    blocked.add(whenBlocked);
    unblocked.add(whenUnblocked);
    return Fakes.as(BlockedListener.class, new Object());
  }

  Map<String, Object> getServerProperties() {
    return Map.of("version", broker.version());
  }

  int getFrameMax() {
    return 131_072;
  }

  void abort(int millis) {
    if (signal == null) {
      signal = new ShutdownSignalException(true, true, null, proxy, "clean shutdown", null);
    }
    tell();
  }
}
