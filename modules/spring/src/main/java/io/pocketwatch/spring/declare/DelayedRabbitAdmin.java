// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.util.Assert;

/**
 * A {@code RabbitAdmin} for code written for the delayed-message plugin. Exchanges that are {@code
 * delayed}, and those of the type {@code x-delayed-message}, become exchanges of their underlying
 * type with their other arguments where the broker lacks the plugin, and stay what they are where
 * it is there. That goes for beans, {@code Declarables}, {@code @QueueBinding} and direct calls
 * alike; bindings are by name and need no change.
 *
 * <p>Whether the broker has the type it is asked at the first such exchange on each connection of
 * the given factory, over a connection of its own. Of a routing connection factory it cannot be
 * asked: there everything is declared as it is written.
 *
 * <p>An exchange left over from the plugin fails with a {@link DelayedExchangeException} as the
 * cause, which names the command that recreates it. Threads: as {@code RabbitAdmin}.
 */
public class DelayedRabbitAdmin extends RabbitAdmin {

  /**
   * Makes an admin with a template of its own.
   *
   * @param connectionFactory the broker to declare on
   */
  public DelayedRabbitAdmin(ConnectionFactory connectionFactory) {
    this(new RabbitTemplate(required(connectionFactory)));
  }

  /**
   * Makes an admin that declares by the given template.
   *
   * @param template with the connection factory of the broker to declare on
   */
  public DelayedRabbitAdmin(RabbitTemplate template) {
    super(new DeclaringTemplate(template));
  }

  private static ConnectionFactory required(@Nullable ConnectionFactory connectionFactory) {
    Assert.notNull(connectionFactory, "ConnectionFactory must not be null");
    return connectionFactory;
  }
}
