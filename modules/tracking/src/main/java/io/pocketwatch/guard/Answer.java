// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.store.SettlingStore.Ending;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a message that its consumer has answered for.
 *
 * @param ending what the store is told first; null without a row
 * @param said what the broker is told then
 * @param copy what the broker is to hold instead; null if nothing
 * @param until how long to hold that
 * @param then is told whether the store has taken the ending
 */
record Answer(
    @Nullable Ending ending,
    Disposition said,
    @Nullable Delivery copy,
    Instant until,
    Consumer<Boolean> then) {

  static Answer toBroker(Disposition said) {
    return new Answer(null, said, null, Instant.EPOCH, taken -> {});
  }

  static Answer toStore(Ending ending, Disposition said) {
    return new Answer(ending, said, null, Instant.EPOCH, taken -> {});
  }

  static Answer held(Delivery copy, Instant until) {
    return new Answer(null, Disposition.ACK, copy, until, taken -> {});
  }

  Answer then(Consumer<Boolean> then) {
    return new Answer(ending, said, copy, until, then);
  }
}
