// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.server.http.AnswerMemory;
import io.pocketwatch.server.http.AnswerMemory.Room;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoredMessage;
import java.util.Optional;
import java.util.function.Function;

/** Reads stored messages with their bodies, as far as there is memory for them. */
final class MessageReader {
  /** Copies of a body in memory: the driver's, the row's and its text. */
  private static final int COPIES = 3;

  /** Many small headers become objects, each many times as large as its bytes. */
  private static final int COPIES_OF_PROPERTIES = 20;

  private final Backend backend;
  private final AnswerMemory memory;

  MessageReader(Backend backend, AnswerMemory memory) {
    this.backend = backend;
    this.memory = memory;
  }

  /**
   * Passes a message to a function, which must not keep it.
   *
   * @throws Problem if there is no memory for it
   */
  <T> Optional<T> with(MessageKey key, Function<StoredMessage, T> use) {
    Optional<MessageSummary> there = backend.store().summary(key);
    if (there.isEmpty()) {
      return Optional.empty();
    }
    MessageSummary summary = there.get();
    long bytes =
        (long) COPIES * summary.bodyBytes()
            + (long) COPIES_OF_PROPERTIES * summary.propertiesBytes();
    String what = "message %s with its body of %s bytes".formatted(key, summary.bodyBytes());
    try (Room room = memory.take(bytes, what)) {
      return backend.store().find(key).map(use);
    }
  }
}
