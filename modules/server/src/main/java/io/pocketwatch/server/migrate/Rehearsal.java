// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/**
 * Tries out what will have to work once the old exchange is gone. It leaves nothing behind: a
 * binding that is there is not made twice, but its rights are checked.
 */
final class Rehearsal {
  private final AmqpSession session;
  private final ExchangeDefinition definition;

  Rehearsal(AmqpSession session, ExchangeDefinition definition) {
    this.session = session;
    this.definition = definition;
  }

  /** Whether the broker will take the declaration; that it cannot be tried is no objection. */
  void declaration() throws IOException, TimeoutException {
    String name = definition.name() + ".rehearsal-" + UUID.randomUUID();
    // A connection of its own: brokers before 4.0 close it on an unknown exchange type.
    try (Connection connection = session.connect()) {
      Channel channel = connection.createChannel();
      channel.exchangeDeclare(
          name, definition.type(), false, true, definition.internal(), definition.arguments());
      channel.exchangeDelete(name);
    } catch (IOException | AlreadyClosedException e) {
      String words = ErrorWords.of(e);
      if (!words.contains("ACCESS_REFUSED")) {
        throw new CommandFailedException(
            ExitCodes.FAILED,
            "an exchange of type '%s' with these arguments cannot be declared: %s. Nothing was"
                    .formatted(definition.type(), words)
                + " changed; give another --type",
            e);
      }
    }
  }

  /** The bindings that could not be made again, each with the broker's reason. */
  List<String> bindings() throws IOException, TimeoutException {
    List<String> refused = new ArrayList<>();
    for (ExchangeBinding each : definition.bindings()) {
      session.bind(each).ifPresent(reason -> refused.add(each.words() + ": " + reason));
    }
    return refused;
  }
}
