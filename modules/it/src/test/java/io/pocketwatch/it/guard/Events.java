// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.guard.ConsumerEvent;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;

/** Remembers in short words what a guard told. */
final class Events implements PocketwatchListener {
  private final Queue<String> events = new ConcurrentLinkedQueue<>();
  private final Queue<MessageKey> unknown = new ConcurrentLinkedQueue<>();

  List<String> all() {
    return List.copyOf(events);
  }

  long count(String event) {
    return events.stream().filter(event::equals).count();
  }

  /** Each message that the store did not know. */
  List<MessageKey> unknown() {
    return List.copyOf(unknown);
  }

  void await(String event) {
    await(event, 1);
  }

  void await(String event, int times) {
    Awaitility.await(times + " times " + event)
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> count(event) >= times);
  }

  @Override
  public void onEvent(PocketwatchEvent event) {
    if (event instanceof ConsumerEvent.Delivered) {
      events.add("delivered");
    } else if (event instanceof ConsumerEvent.Settled) {
      events.add("settled");
    } else if (event instanceof ConsumerEvent.Overtaken) {
      events.add("overtaken");
    } else if (event instanceof ConsumerEvent.Failed) {
      events.add("failed");
    } else if (event instanceof ConsumerEvent.Deferred deferred) {
      events.add("deferred " + deferred.attempt());
    } else if (event instanceof ConsumerEvent.Skipped one) {
      events.add("skipped " + one.verdict());
    } else if (event instanceof ConsumerEvent.HeldAgain) {
      events.add("held again");
    } else if (event instanceof ConsumerEvent.OtherConsumer) {
      events.add("other consumer");
    } else if (event instanceof ConsumerEvent.Unknown one) {
      unknown.add(one.key());
      events.add("unknown");
    } else if (event instanceof ConsumerEvent.Stopped) {
      events.add("stopped");
    } else if (event instanceof ConsumerEvent.StoreUnreachable) {
      events.add("store unreachable");
    }
  }
}
