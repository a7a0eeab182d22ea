// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.store.SettlingStore.Ending;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The consequences of a consumer's answer for a message.
 *
 * @param ending what the store records first; null without a row
 * @param said how the broker is answered after that
 * @param copy the message that the broker is to hold in its place; null if none
 * @param until until when to hold it
 * @param then takes whether the store has recorded the ending
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
