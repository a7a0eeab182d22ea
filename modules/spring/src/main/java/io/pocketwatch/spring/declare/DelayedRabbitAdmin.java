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
 * A {@code RabbitAdmin} for code written for the delayed-message plugin. It is about exchanges that
 * are {@code delayed}, and those of the type {@code x-delayed-message}. Where the broker lacks the
 * plugin they become exchanges of their underlying type, with their other arguments; elsewhere they
 * stay what they are. That goes for beans, {@code Declarables}, {@code @QueueBinding} and direct
 * calls alike. Bindings are by name and need no change.
 *
 * <p>Each connection of the given factory is asked for the type at the first such exchange, over a
 * connection of its own. A routing connection factory cannot be asked: there everything is declared
 * as it is written.
 *
 * <p>An exchange left over from the plugin fails with a {@link DelayedExchangeException} as the
 * cause, which names the command that recreates it. It is as safe for threads as {@code
 * RabbitAdmin}.
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

  /** Whether declaring this needs the plugin, unless one of these admins does it. */
  public static boolean needsPlugin(Exchange exchange) {
    return exchange.isDelayed() || UnderlyingExchange.DELAYED.equals(exchange.getType());
  }

  private static ConnectionFactory required(@Nullable ConnectionFactory connectionFactory) {
    Assert.notNull(connectionFactory, "ConnectionFactory must not be null");
    return connectionFactory;
  }

  /** The one way by which an admin gets its channels. */
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
