// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.ChannelCallback;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.util.Assert;

/**
 * A {@code RabbitAdmin} for code written for the delayed-message plugin. Where the broker lacks the
 * plugin, exchanges that are {@code delayed} or of the type {@code x-delayed-message} are declared
 * with their underlying type. They keep their other arguments. Elsewhere they are declared as
 * written. This goes for beans, {@code Declarables}, {@code @QueueBinding} and direct calls alike.
 * Bindings are by name and need no change.
 *
 * <p>The broker of each connection is asked for the type at the first such exchange, over a
 * connection of its own. With a routing connection factory it cannot be asked, and everything is
 * declared as written.
 *
 * <p>An exchange left over from the plugin fails with a {@link DelayedExchangeException} as the
 * cause, which names the command that recreates it. It is as thread-safe as {@code RabbitAdmin}.
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
   * Makes an admin that declares through the given template.
   *
   * @param template with the connection factory of the broker to declare on
   */
  public DelayedRabbitAdmin(RabbitTemplate template) {
    super(new DeclaringTemplate(template));
  }

  /** Whether declaring this exchange with a plain {@code RabbitAdmin} needs the plugin. */
  public static boolean needsPlugin(Exchange exchange) {
    return exchange.isDelayed() || UnderlyingExchange.DELAYED.equals(exchange.getType());
  }

  private static ConnectionFactory required(@Nullable ConnectionFactory connectionFactory) {
    Assert.notNull(connectionFactory, "ConnectionFactory must not be null");
    return connectionFactory;
  }

  /** The template through which an admin gets all its channels. */
  private static final class DeclaringTemplate extends RabbitTemplate {
    private final RabbitTemplate template;
    private final DelayTypeProbe probe;

    DeclaringTemplate(RabbitTemplate template) {
      super(template.getConnectionFactory());
      this.template = template;
      this.probe = new DelayTypeProbe(template.getConnectionFactory());
    }

    @Override
    public <T extends @Nullable Object> T execute(ChannelCallback<T> action) {
      return template.execute(channel -> action.doInRabbit(DeclaringChannel.over(channel, probe)));
    }
  }
}
