// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Begun;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

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
  public void delivered(String consumer, @Nullable MessageKey key, @Nullable Duration lateness) {
    events.add("delivered");
  }

  @Override
  public void settled(String consumer, MessageKey key) {
    events.add("settled");
  }

  @Override
  public void overtaken(String consumer, MessageKey key) {
    events.add("overtaken");
  }

  @Override
  public void failed(String consumer, @Nullable MessageKey key, Throwable cause) {
    events.add("failed");
  }

  @Override
  public void deferred(String consumer, @Nullable MessageKey key, int attempt, Instant until) {
    events.add("deferred " + attempt);
  }

  @Override
  public void skipped(String consumer, MessageKey key, Begun.Verdict verdict) {
    events.add("skipped " + verdict);
  }

  @Override
  public void heldAgain(
      String consumer, @Nullable MessageKey key, PocketwatchListener.Reason reason, Instant until) {
    events.add("held again " + reason);
  }

  @Override
  public void unexpected(String consumer, MessageKey key) {
    events.add("unexpected");
  }

  @Override
  public void unknown(String consumer, MessageKey key) {
    unknown.add(key);
    events.add("unknown");
  }

  @Override
  public void stopped(String consumer, String why) {
    events.add("stopped");
  }

  @Override
  public void storeUnreachable(String consumer, MessageKey key, RuntimeException cause) {
    events.add("store unreachable");
  }
}
